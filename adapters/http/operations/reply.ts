import * as E from 'fp-ts/Either';
import type { HttpFailure } from '../message/failures';
import { describeFailure, errorBody } from './errors';
import { type Headers, securityHeaders } from './headers';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array;
}

/** Outcome of a request, before it becomes a reply. */
export type Outcome = E.Either<HttpFailure, Reply>;

export const jsonType = 'application/json';

/** Makes a reply with JSON. Adds a line break to a string, so that a terminal shows its prompt on a new line. */
export const jsonReply = (status: number, body: string | Uint8Array, headers: Headers = {}): Reply => ({
  status,
  headers: { 'Content-Type': jsonType, ...securityHeaders, ...headers },
  body: typeof body === 'string' ? `${body}\n` : body,
});

export const failureReply = (failure: HttpFailure): Reply => {
  const description = describeFailure(failure);
  return jsonReply(description.status, JSON.stringify(errorBody(description)), description.headers);
};

/** Makes the reply of an outcome. `headers` are those that do not depend on the outcome. */
export const replyOf = (
  outcome: Outcome,
  requestId: string,
  headers: Headers,
  ifNoneMatch: string | undefined,
): Reply => {
  const reply = E.isLeft(outcome) ? failureReply(outcome.left) : outcome.right;
  const { ETag: etag } = reply.headers;
  const isUnchanged = etag !== undefined && isMatched(etag, ifNoneMatch);
  return {
    status: isUnchanged ? 304 : reply.status,
    headers: { 'X-Request-Id': requestId, ...headers, ...reply.headers },
    body: isUnchanged ? '' : reply.body,
  };
};

/** Reports whether `If-None-Match` has this ETag, by weak comparison (RFC 9110, section 13.1.2). */
const isMatched = (etag: string, ifNoneMatch = ''): boolean =>
  ifNoneMatch.split(',').some((each) => [etag, `W/${etag}`, '*'].includes(each.trim()));

const maxUnknownNames = 10;

// Matches 1 to 64 printable ASCII characters except " and \, which a String of RFC 9651 would have to escape.
const plainName = /^[ !#-[\]-~]{1,64}$/;

/**
 * Returns the header `Unknown-Fields`: the names that are not in `knownFields`, as a List of Strings (RFC 9651, section
 * 3.1). Leaves out long names, names with special characters, and all after the first ten. Returns {} if no name is
 * left.
 */
export const unknownFieldsHeader = (
  names: Iterable<string>,
  knownFields: Readonly<Record<string, unknown>>,
): Headers => {
  const unknown = [...new Set(names)].filter(
    (name) => !Object.hasOwn(knownFields, name) && plainName.test(name),
  );
  if (unknown.length === 0) return {};
  const quoted = unknown.slice(0, maxUnknownNames).map((name) => `"${name}"`);
  return { 'Unknown-Fields': quoted.join(', ') };
};
