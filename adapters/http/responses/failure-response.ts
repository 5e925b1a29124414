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

// A flood of wrong keys is to cost little: these are written once.
const missingApiKeyResponse = unauthorized('an API key is needed: Authorization: Bearer <API_KEY>', 'Bearer');
const invalidApiKeyResponse = unauthorized('this API key is not valid', 'Bearer error="invalid_token"');

/** The one table from failures to what a client sees of them (interface, section 7). */
export const failureResponse = (failure: HttpFailure): FailureResponse => {
  switch (failure._tag) {
    case 'MissingApiKey':
      return missingApiKeyResponse;
    case 'InvalidApiKey':
      return invalidApiKeyResponse;
    case 'InvalidQuery':
      return response(400, 'invalid_query', fieldErrorTexts(failure.fieldErrors, 'the query').join('; '));
    case 'InvalidBody':
      return response(400, 'invalid_body', fieldErrorTexts(failure.fieldErrors, 'the body').join('; '));
    case 'MalformedJson':
      return response(400, 'malformed_json', `the body must be JSON: ${failure.reason}`);
    case 'InvalidIdempotencyKey':
      return response(
        400,
        'invalid_idempotency_key',
        'Idempotency-Key must be 1 to 255 visible characters, bare or in double quotes, as in "8e03978e"',
      );
    case 'MalformedRequest':
      return response(400, 'malformed_request', failure.reason);
    case 'PetNotFound':
    case 'NoSuchPet':
      return response(404, 'pet_not_found', 'no animal has this id');
    case 'RouteNotFound':
      return response(404, 'route_not_found', 'nothing is at this path');
    case 'MethodNotAllowed':
      return response(405, 'method_not_allowed', `this path takes ${failure.allowed.join(', ')} only`, {
        Allow: failure.allowed.join(', '),
      });
    case 'RequestTimeout':
      return response(408, 'request_timeout', 'the request did not arrive in time');
    case 'IdempotencyKeyInFlight':
      return response(
        409,
        'idempotency_key_in_flight',
        'the first request with this Idempotency-Key has not ended yet',
      );
    case 'PayloadTooLarge':
      return response(413, 'payload_too_large', 'the body must be 100 kB at most');
    case 'UnsupportedMediaType':
      return response(415, 'unsupported_media_type', failure.expected, { Accept: 'application/json' });
    case 'ExpectationFailed':
      return response(417, 'expectation_failed', 'the only Expect that is met is 100-continue');
    case 'IdempotencyKeyReused':
      return response(422, 'idempotency_key_reused', 'this Idempotency-Key came with another animal before');
    case 'RateLimited':
      return response(429, 'rate_limited', 'this API key has made too many requests', {
        'Retry-After': String(failure.retryAfter),
      });
    case 'HeadersTooLarge':
      return response(431, 'headers_too_large', 'the head of the request must be 16 KiB at most');
    case 'Defect':
      return response(500, 'internal_error', 'the service failed; the fault is not in the request');
    case 'HttpVersionNotSupported':
      return response(505, 'http_version_not_supported', 'the service speaks HTTP/1.1', {
        Connection: 'close',
      });
    case 'Unavailable':
      return unavailable('the service can not answer now; try again');
    case 'NotReady':
      return unavailable(`not ready: ${failure.reason}`);
  }
};
