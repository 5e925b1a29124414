/** Requests and replies as plain values, so that handlers do not depend on a web framework. */
import type * as E from 'fp-ts/Either';
import type { AnimalStore, Deadline } from '../../core';
import { describeFailure, errorBody, type Headers, type HttpFailure } from './errors';

export const maxBodyBytes = 16_000;

export const tooLarge: HttpFailure = { _tag: 'PayloadTooLarge' };

export const incomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};

/** Maximum time to answer a request, from its start, or from the end of its body if the handler has to wait for it. */
export const maxResponseMs = 4_000;

/** Returns the deadline of a request that starts now, or whose body has just arrived. */
export const newDeadline = (): Deadline => performance.now() + maxResponseMs;

/** Request to an operation. */
export interface PetRequest {
  /** Decoded path parameter `petId`. Empty if the path has none. */
  readonly petId: string;
  /** Query string without the question mark. */
  readonly query: string;
  /** Returns a header. Repeated headers are joined by commas, unless Node has kept only the first. */
  readonly header: (
    name: 'authorization' | 'content-encoding' | 'content-type' | 'idempotency-key',
  ) => string | undefined;
  /** False if the request is known to have no body. */
  readonly hasBody: boolean;
  /** Reads the body. Fails if the body is incomplete, or larger than `maxBodyBytes`. */
  readonly readBody: () => Promise<E.Either<HttpFailure, Uint8Array>>;
  /** Time by which the reply must be made. `readBody` may change the deadline, so read it only afterwards. */
  readonly deadline: Deadline;
}

/** Makes a request that starts now. `isBodyLate` returns true if its body has not arrived completely. */
export const newPetRequest = (parts: Omit<PetRequest, 'deadline'>, isBodyLate: () => boolean): PetRequest => {
  const request = {
    ...parts,
    readBody: async () => {
      const isLate = isBodyLate();
      // While the body arrives, only the timeouts of the HTTP server or the framework apply.
      if (isLate) request.deadline = Infinity;
      const body = await parts.readBody();
      if (isLate) request.deadline = newDeadline();
      return body;
    },
    deadline: newDeadline(),
  };
  return request;
};

/** Response as plain values. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Buffer;
  /** Id of the animal that a create added, or returned again to a retry. */
  readonly createdId?: bigint;
}

/** Handler of an operation. The caller's API key has opened the store. */
export type Handle = (store: AnimalStore, request: PetRequest) => Promise<E.Either<HttpFailure, Reply>>;

export const jsonType = 'application/json';

/** Makes a reply with JSON. Adds a line break to a string, so that a terminal shows its prompt on a new line. */
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

// Matches 1 to 64 printable ASCII characters except " and \, which a String of RFC 9651 would have to escape.
const plainName = /^[ !#-[\]-~]{1,64}$/;

/**
 * Returns the header `Unknown-Fields`: the names that are not in `known`, as a List of Strings (RFC 9651, section 3.1).
 * Leaves out long names, names with special characters, and all after the first ten. Returns {} if no name is left.
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
