import { createHash, timingSafeEqual } from 'node:crypto';

/** Tells the bench, in the words of the service, where a peer serves. */
export const announce = (port) => {
  process.stderr.write(`serves http://127.0.0.1:${port}\n`);
};

const digestOf = (key) => createHash('sha256').update(key).digest();

const digest = digestOf(process.env.API_KEYS);

/** Whether an Authorization header shows the key, in a time that tells nothing of it. */
export const isAuthorized = (authorization) =>
  authorization !== undefined &&
  /^Bearer /i.test(authorization) &&
  timingSafeEqual(digestOf(authorization.slice(7)), digest);

/** What each response of getPet carries. */
export const deprecation = {
  Deprecation: '@1795046400',
  Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
  Link: '</v1/pets>; rel="successor-version"',
};

/** An Error body and its status: what a peer throws or sends. */
export class Failure extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.text = JSON.stringify({ code, message, status });
  }
}

export const unauthorized = new Failure(401, 'unauthorized', 'an API key is needed');
export const notFound = new Failure(404, 'pet_not_found', 'no animal has this id');
export const routeNotFound = new Failure(404, 'route_not_found', 'nothing is at this path');
export const invalidQuery = new Failure(400, 'invalid_query', 'limit, after or status is wrong');
export const invalidBody = new Failure(400, 'invalid_body', 'the body is no NewPet');
export const tooLarge = new Failure(413, 'payload_too_large', 'the body must be 100 kB at most');
