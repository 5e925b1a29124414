/** Requests and replies as plain values, so that a handler knows no web framework. */
import type * as E from 'fp-ts/Either';
import type { AnimalStore, Deadline } from '../../core';
import { describeFailure, errorBody, type Headers, type HttpFailure } from './errors';

/** Maximum size of the body of a request. */
export const maxBodyBytes = 16_000;

/** Maximum time to answer a request, from the end of its head, or of a body that ends later. */
export const maxResponseMs = 4_000;

/** Returns the deadline of a request whose head or body has just ended. */
export const newDeadline = (): Deadline => performance.now() + maxResponseMs;

/** Request to an operation. Of a header that is repeated, it has all values, joined by commas. */
export interface PetRequest {
  /** Text of the parameter `petId` of the path. */
  readonly petId: string;
  /** Query without its question mark. */
  readonly query: string;
  readonly authorization: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** False if the head of the request says that it has no body. */
  readonly hasBody: boolean;
  /** Reads the body, which is refused if it is larger than the limit. */
  readonly readBody: () => Promise<E.Either<HttpFailure, Uint8Array>>;
  /** Time by which the reply must be made. A body that ends after its head moves it. */
  readonly deadline: Deadline;
}

/** Response of a handler. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Buffer;
  /** Id of the animal of a create. */
  readonly createdId?: bigint;
}

/** Answers a request with the store that the caller's API key has opened. */
export type Handle = (store: AnimalStore, request: PetRequest) => Promise<E.Either<HttpFailure, Reply>>;

export const jsonType = 'application/json';

/** Makes a reply with JSON. Ends a text with a line break, so that a terminal shows its prompt on a new line. */
export const jsonReply = (status: number, body: string | Buffer, headers: Headers = {}): Reply => ({
  status,
  headers: { 'Content-Type': jsonType, ...headers },
  body: typeof body === 'string' ? `${body}\n` : body,
});

export const failureReply = (failure: HttpFailure): Reply => {
  const description = describeFailure(failure);
  return jsonReply(description.status, JSON.stringify(errorBody(description)), description.headers);
};

const maxUnknownNames = 10;

// Matches printable ASCII without quotes and backslashes, which a String would escape.
const plainName = /^[ !#-[\]-~]{1,64}$/;

/**
 * Returns the header with the names of ignored parameters or fields, a List of Strings (RFC 9651, section 3.1). Leaves
 * out long names, names with special characters, and all after the first ten.
 */
export const unknownFieldsHeader = (
  names: Iterable<string>,
  known: Readonly<Record<string, unknown>>,
): Headers => {
  const unknown = [...new Set(names)].filter((name) => !Object.hasOwn(known, name) && plainName.test(name));
  if (unknown.length === 0) return {};
  const quoted = unknown.slice(0, maxUnknownNames).map((name) => `"${name}"`);
  return { 'Unknown-Fields': quoted.join(', ') };
};
