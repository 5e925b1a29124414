import { apiKeyPattern, type PetNotFound, type StoreFailure } from '../../../core';
import { describeStoreFailure, type ErrorCode, errorStatuses, retryDelayMs } from '../../failures';
import type { HttpFailure } from '../message/failures';
import type { Headers } from './headers';
import { requestLimits } from '../message/limits';

/** Reasons of a 401, for the log and the metrics. */
export const unauthorizedReasons = [
  'missing_key',
  'malformed_key',
  'unknown_key',
  'expired_key',
  'revoked_key',
] as const;

export type UnauthorizedReason = (typeof unauthorizedReasons)[number];

const rejectionCodes = [
  'expectation_failed',
  'headers_too_large',
  'http_version_not_supported',
  'malformed_request',
  'method_not_allowed',
  'payload_too_large',
  'request_timeout',
] as const satisfies ReadonlyArray<ErrorCode>;

/** Statuses of the requests that the HTTP server rejects. */
export const rejectionStatuses: ReadonlyArray<number> = rejectionCodes.map((code) => errorStatuses[code]);

/** Response to a failure, and the reason of a 401. */
interface ErrorDescription {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: Headers;
  readonly reason?: UnauthorizedReason;
}

export const describeFailure = (failure: HttpFailure): ErrorDescription => {
  switch (failure._tag) {
    case 'MissingApiKey':
      return unauthorized('missing_key', 'missing API key; send Authorization: Bearer <API_KEY>');
    case 'RepeatedBearer':
      return unauthorized('malformed_key', 'Bearer appears twice in Authorization; send it once');
    case 'InvalidApiKey':
      return unauthorized(
        `${failure.reason}_key`,
        failure.reason === 'malformed'
          ? `malformed API key; a key may have only ${apiKeyPattern.expected}`
          : withHttpAdvice(failure).message,
      );
    case 'InvalidPetId':
    case 'PetNotFound':
      return describe('pet_not_found', 'pet not found');
    case 'MalformedJson':
      return describe('malformed_json', `invalid JSON: ${failure.reason}`);
    case 'UnsupportedMediaType':
      return describe('unsupported_media_type', failure.expected, { Accept: 'application/json' });
    case 'RouteNotFound':
      return describe('route_not_found', `route not found; ${failure.hint}`);
    case 'ExpectationFailed':
      return rejection('expectation_failed', 'unsupported Expect header; only 100-continue is supported');
    case 'HeadersTooLarge':
      return rejection('headers_too_large', largeHeadMessage);
    case 'HttpVersionNotSupported':
      return rejection('http_version_not_supported', 'HTTP version not supported; use HTTP/1.1');
    case 'MalformedRequest':
      return rejection('malformed_request', failure.reason);
    case 'MethodNotAllowed': {
      const allowed = failure.allowed.join(', ');
      return rejection('method_not_allowed', `method not allowed; use ${allowed}`, { Allow: allowed });
    }
    case 'PayloadTooLarge':
      return rejection(
        'payload_too_large',
        failure.hasLongChunkExtensions ? longExtensionsMessage : largeBodyMessage,
      );
    case 'RequestTimeout':
      return rejection('request_timeout', lateRequestMessage);
    case 'NotReady':
      return describe('unavailable', `not ready: ${failure.reason}`, retryAfter(retryDelayMs));
    case 'Defect':
      return describe('internal_error', defectMessage);
    default:
      return withHttpAdvice(failure);
  }
};

const describe = (code: ErrorCode, message: string, headers: Headers = {}): ErrorDescription => ({
  status: errorStatuses[code],
  code,
  message,
  headers,
});

const rejection: (
  code: (typeof rejectionCodes)[number],
  message: string,
  headers?: Headers,
) => ErrorDescription = describe;

const unauthorized = (reason: UnauthorizedReason, message: string): ErrorDescription => {
  const challenge = reason === 'missing_key' ? 'Bearer' : 'Bearer error="invalid_token"';
  return { ...describe('unauthorized', message, { 'WWW-Authenticate': challenge }), reason };
};

const retryAfter = (milliseconds: number): Headers => ({ 'Retry-After': String(milliseconds / 1_000) });

type DescribedFailure = Exclude<StoreFailure, PetNotFound>;

/** Advice that applies only to HTTP, to append to the messages of `describeStoreFailure`. */
const advice: Readonly<Partial<Record<DescribedFailure['_tag'], string>>> = {
  InvalidIdempotencyKey:
    '; if it has spaces, commas, quotes or backslashes, ' +
    'put it in double quotes and escape each quote and backslash in it with a backslash',
  QuotaExceeded: ' for the seconds in Retry-After',
  Unavailable: ', but repeat a POST only with the same Idempotency-Key',
};

const withHttpAdvice = (failure: DescribedFailure): ErrorDescription => {
  const input = failure._tag === 'InvalidQuery' ? 'the query' : 'the body';
  const { code, message, retryAfterMs } = describeStoreFailure(failure, 'Idempotency-Key', input);
  const headers = retryAfterMs === undefined ? {} : retryAfter(retryAfterMs);
  return describe(code, message + (advice[failure._tag] ?? ''), headers);
};

const largeHeadMessage =
  `the request line and the headers must be at most ${requestLimits.headBytes / 1_024} KiB together, ` +
  `with at most ${requestLimits.headers} headers`;

const largeBodyMessage = `the request body must be at most ${requestLimits.bodyBytes / 1_000} kB`;

const longExtensionsMessage = 'the chunk extensions of the request body are too long; send none';

const lateRequestMessage =
  `the request did not arrive in time: its headers must arrive within ${requestLimits.headMs / 1_000} s, ` +
  `and all of it within ${requestLimits.requestMs / 1_000} s; send it again on a new connection`;

const defectMessage =
  'internal error; report it to the operator of the service with the X-Request-Id of the response, if it has one';

export const errorBody = ({ code, message, status }: ErrorDescription) => ({ code, message, status });
