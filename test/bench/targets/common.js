import { isInteger, parse } from 'lossless-json';
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

const decimal = /^-?[0-9]{1,19}$/;

/** The int64 in decimal text, or undefined. */
export const parseInt64 = (text) => {
  if (!decimal.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : undefined;
};

const limits = /^0*(?:[1-9][0-9]?|100)$/;
const statuses = new Set([undefined, 'available', 'pending', 'sold']);

/** Checks by hand the parameters of listPets, given as an object of texts. Ids start at 1: `after` is 0 by default. */
export const checkListQuery = ({ limit = '20', after = '0', status }) => {
  const id = parseInt64(after);
  if (!limits.test(limit) || id === undefined || !statuses.has(status)) throw invalidQuery;
  return { limit: Number(limit), after: id, status };
};

/** The Link to the page that follows the animal `last` (RFC 8288). */
export const linkToNext = ({ limit, status }, last) =>
  `</v1/pets?limit=${limit}${status === undefined ? '' : `&status=${status}`}&after=${last}>; rel="next"`;

const unstorable = /[\0\p{Surrogate}]/u;

const exactNumber = (text) => (isInteger(text) ? BigInt(text) : Number(text));

/** JSON with an exact `categoryId`: the native parser, and the slow exact one where a double has lost digits. */
export const parseBody = (text) => {
  try {
    const body = JSON.parse(text);
    return typeof body?.categoryId === 'number' && !Number.isSafeInteger(body.categoryId)
      ? parse(text, undefined, exactNumber)
      : body;
  } catch {
    throw invalidBody;
  }
};

/** Whether it is an integer, a bigint where a double can't hold it, in the range of an int64. */
export const isInt64 = (value) =>
  Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value);

/** Checks by hand what a schema would say of a NewPet. */
export const checkNewPet = (body) => {
  const valid =
    typeof body?.name === 'string' &&
    !unstorable.test(body.name) &&
    isInt64(body.categoryId) &&
    statuses.has(body.status);
  if (!valid) throw invalidBody;
  return body;
};

/** JSON text of an animal; its integers are bigints or decimal text. */
export const petText = ({ id, name, categoryId, status }) =>
  `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}${status == null ? '' : `,"status":"${status}"`}}`;

/** JSON text of a page; as fast as a compiled serialiser. */
export const pageText = (pets) => {
  let text = '[';
  for (const pet of pets) text += text.length === 1 ? petText(pet) : `,${petText(pet)}`;
  return `${text}]`;
};
