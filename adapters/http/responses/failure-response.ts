import { fieldErrorTexts } from '../../../core';
import type { HttpFailure } from './http-failures';
import type { HttpResponse } from './http-response';

/** What every failure answers with (interface, section 2). */
export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

export interface FailureResponse extends HttpResponse {
  /** What the body says. */
  readonly error: ErrorBody;
}

const response = (
  status: number,
  code: string,
  message: string,
  headers?: HttpResponse['headers'],
): FailureResponse => {
  const error = { code, message, status };
  return { status, body: JSON.stringify(error), headers, error };
};

const unauthorized = (message: string, challenge: string): FailureResponse =>
  response(401, 'unauthorized', message, { 'WWW-Authenticate': challenge });

const unavailable = (message: string): FailureResponse =>
  response(503, 'unavailable', message, { 'Retry-After': '1' });

/** Those to failures of which nothing but the kind is told, written once: a flood of wrong keys is to cost little. */
export const constantResponses = {
  MissingApiKey: unauthorized('an API key is needed: Authorization: Bearer <API_KEY>', 'Bearer'),
  InvalidApiKey: unauthorized('this API key is not valid', 'Bearer error="invalid_token"'),
  InvalidIdempotencyKey: response(
    400,
    'invalid_idempotency_key',
    'Idempotency-Key must be 1 to 255 printable ASCII characters, in double quotes as in "8e03978e", or bare without space, comma, quote and backslash',
  ),
  PetNotFound: response(404, 'pet_not_found', 'no animal has this id'),
  RouteNotFound: response(404, 'route_not_found', 'nothing is at this path'),
  RequestTimeout: response(408, 'request_timeout', 'the request did not arrive in time'),
  IdempotencyKeyInFlight: response(
    409,
    'idempotency_key_in_flight',
    'the first request with this Idempotency-Key has not ended yet',
  ),
  PayloadTooLarge: response(413, 'payload_too_large', 'the body must be 100 kB at most'),
  ExpectationFailed: response(417, 'expectation_failed', 'the only Expect that is met is 100-continue'),
  IdempotencyKeyReused: response(
    422,
    'idempotency_key_reused',
    'this Idempotency-Key came with another animal before',
  ),
  HeadersTooLarge: response(431, 'headers_too_large', 'the head of the request must be 16 KiB at most'),
  Defect: response(500, 'internal_error', 'the service failed; the fault is not in the request'),
  Unavailable: unavailable('the service can not answer now; try again'),
  HttpVersionNotSupported: response(505, 'http_version_not_supported', 'the service speaks HTTP/1.1', {
    Connection: 'close',
  }),
};

/** The one table from failures to what a client sees of them (interface, section 7). */
export const failureResponse = (failure: HttpFailure): FailureResponse => {
  switch (failure._tag) {
    case 'InvalidQuery':
      return response(400, 'invalid_query', fieldErrorTexts(failure.fieldErrors, 'the query').join('; '));
    case 'InvalidBody':
      return response(400, 'invalid_body', fieldErrorTexts(failure.fieldErrors, 'the body').join('; '));
    case 'MalformedJson':
      return response(400, 'malformed_json', `the body must be JSON: ${failure.reason}`);
    case 'MalformedRequest':
      return response(400, 'malformed_request', failure.reason);
    case 'MethodNotAllowed':
      return response(405, 'method_not_allowed', `this path takes ${failure.allowed.join(', ')} only`, {
        Allow: failure.allowed.join(', '),
      });
    case 'UnsupportedMediaType':
      return response(415, 'unsupported_media_type', failure.expected, { Accept: 'application/json' });
    case 'RateLimited':
      return response(429, 'rate_limited', 'this API key has made too many requests', {
        'Retry-After': String(failure.retryAfter),
      });
    case 'NotReady':
      return unavailable(`not ready: ${failure.reason}`);
    default:
      return constantResponses[failure._tag];
  }
};
