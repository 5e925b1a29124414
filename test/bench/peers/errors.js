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
