import {
  apiKeyRule,
  idempotencyTexts,
  idempotencyKeyRule,
  type InvalidApiKey,
  invalidFieldTexts,
  retryDelaySeconds,
  type StoreFailure,
} from '../../../core';
import type { MalformedJson } from '../../json';
import type { ServerFailure } from '../server/server-failure';
import type { Headers } from './headers';
import { requestLimits } from './limits';

export interface NotReady {
  readonly _tag: 'NotReady';
  readonly reason: string;
}

/** Failure that leads to an error response. A Defect is a bug in the program. Its cause must not reach the client. */
export type HttpFailure =
  | StoreFailure
  | MalformedJson
  | NotReady
  | ServerFailure
  | { readonly _tag: 'InvalidPetId' | 'MissingApiKey' | 'RepeatedBearer' }
  | { readonly _tag: 'RouteNotFound'; readonly hint: string }
  | { readonly _tag: 'UnsupportedMediaType'; readonly expected: string }
  | { readonly _tag: 'Defect'; readonly cause: unknown };

export const bodyTooLarge: HttpFailure = { _tag: 'PayloadTooLarge' };

export const bodyIncomplete: HttpFailure = {
  _tag: 'MalformedRequest',
  reason: 'the request body is incomplete; send all bytes of its Content-Length, or its last chunk',
};

/** Returns MethodNotAllowed if a path allows some methods, otherwise RouteNotFound. */
export const unmatchedPath = (allowed: ReadonlyArray<string>, hint: string): HttpFailure =>
  allowed.length > 0
    ? { _tag: 'MethodNotAllowed', allowed: [...allowed].sort() }
    : { _tag: 'RouteNotFound', hint };

export type UnauthorizedReason = 'missing_key' | `${InvalidApiKey['reason']}_key`;

interface ErrorDescription {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers: Headers;
  /** Reason of a 401, for the log and the metrics. */
  readonly reason?: UnauthorizedReason;
}

const describe = (
  status: number,
  code: string,
  message: string,
  headers: Headers = {},
): ErrorDescription => ({ status, code, message, headers });

const unauthorized = (reason: UnauthorizedReason, message: string): ErrorDescription => {
  const challenge = reason === 'missing_key' ? 'Bearer' : 'Bearer error="invalid_token"';
  return { ...describe(401, 'unauthorized', message, { 'WWW-Authenticate': challenge }), reason };
};

const retryAfter = (seconds: number): Headers => ({ 'Retry-After': String(seconds) });

const unavailable = (message: string): ErrorDescription =>
  describe(503, 'unavailable', message, retryAfter(retryDelaySeconds));

const keyTexts = idempotencyTexts('Idempotency-Key');

const idempotencyKeyMessage =
  `Idempotency-Key must be ${idempotencyKeyRule.expected}; if it has spaces, commas, quotes or backslashes, ` +
  'put it in double quotes and escape each quote and backslash in it with a backslash';

const lateRequestMessage =
  `the request did not arrive in time: its headers must arrive within ${requestLimits.headMs / 1_000} s, ` +
  `and all of it within ${requestLimits.requestMs / 1_000} s; send it again on a new connection`;

const largeHeadMessage =
  `the request line and the headers must be at most ${requestLimits.headBytes / 1_024} KiB together, ` +
  `with at most ${requestLimits.headers} headers`;

export const describeFailure = (failure: HttpFailure): ErrorDescription => {
  switch (failure._tag) {
    case 'InvalidQuery':
      return describe(400, 'invalid_query', invalidFieldTexts(failure.fields, 'the query').join('; '));
    case 'InvalidNewPet':
      return describe(400, 'invalid_body', invalidFieldTexts(failure.fields, 'the body').join('; '));
    case 'MalformedJson':
      return describe(400, 'malformed_json', `invalid JSON: ${failure.reason}`);
    case 'MalformedRequest':
      return describe(400, 'malformed_request', failure.reason);
    case 'InvalidIdempotencyKey':
      return describe(400, 'invalid_idempotency_key', idempotencyKeyMessage);
    case 'MissingApiKey':
      return unauthorized('missing_key', 'missing API key; send Authorization: Bearer <API_KEY>');
    case 'RepeatedBearer':
      return unauthorized('malformed_key', 'Bearer appears twice in Authorization; send it once');
    case 'InvalidApiKey':
      return unauthorized(
        `${failure.reason}_key`,
        failure.reason === 'malformed'
          ? `malformed API key; a key may have only ${apiKeyRule.expected}`
          : 'the API key is unknown, expired or revoked; ask the operator of the service for a valid key',
      );
    case 'ReadOnlyApiKey':
      return describe(403, 'forbidden', 'this API key may only read; add animals with another key');
    case 'PetNotFound':
    case 'InvalidPetId':
      return describe(404, 'pet_not_found', 'pet not found');
    case 'RouteNotFound':
      return describe(404, 'route_not_found', `route not found; ${failure.hint}`);
    case 'MethodNotAllowed': {
      const allowed = failure.allowed.join(', ');
      return describe(405, 'method_not_allowed', `method not allowed; use ${allowed}`, { Allow: allowed });
    }
    case 'RequestTimeout':
      return describe(408, 'request_timeout', lateRequestMessage);
    case 'IdempotencyKeyInFlight':
      return describe(
        409,
        'idempotency_key_in_flight',
        keyTexts.IdempotencyKeyInFlight,
        retryAfter(retryDelaySeconds),
      );
    case 'PayloadTooLarge':
      return describe(
        413,
        'payload_too_large',
        failure.hasLongChunkExtensions
          ? 'the chunk extensions of the request body are too long; send none'
          : `the request body must be at most ${requestLimits.bodyBytes / 1_000} kB`,
      );
    case 'UnsupportedMediaType':
      return describe(415, 'unsupported_media_type', failure.expected, { Accept: 'application/json' });
    case 'ExpectationFailed':
      return describe(417, 'expectation_failed', 'unsupported Expect header; only 100-continue is supported');
    case 'IdempotencyKeyReused':
      return describe(422, 'idempotency_key_reused', keyTexts.IdempotencyKeyReused);
    case 'PetDeleted':
      return describe(422, 'pet_deleted', keyTexts.PetDeleted);
    case 'QuotaExceeded':
      return describe(
        429,
        'rate_limited',
        'the owner of this API key has sent too many requests; wait for the seconds in Retry-After',
        retryAfter(failure.quota.resetsInSeconds),
      );
    case 'HeadersTooLarge':
      return describe(431, 'headers_too_large', largeHeadMessage);
    case 'Defect':
      return describe(
        500,
        'internal_error',
        'internal error; report it to the operator of the service with the X-Request-Id of the response, if it has one',
      );
    case 'Unavailable':
      return unavailable(
        'service unavailable; try again, but repeat a POST only with the same Idempotency-Key',
      );
    case 'NotReady':
      return unavailable(`not ready: ${failure.reason}`);
    case 'HttpVersionNotSupported':
      return describe(505, 'http_version_not_supported', 'HTTP version not supported; use HTTP/1.1');
  }
};

export const errorBody = ({ code, message, status }: ErrorDescription) => ({ code, message, status });
