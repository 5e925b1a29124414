import { faultTexts } from '../../../core';
import type { Answer } from './answer';
import type { HttpFailure } from './http-failures';
import type { ErrorCode } from '../representation/schemas';
import { type ErrorBody, serialiseError } from '../representation/serialise';

const retryAfterSeconds = '1';

interface FailureAnswer extends Answer {
  /** What the body says. */
  readonly error: ErrorBody;
}

const answer = (
  status: number,
  code: ErrorCode,
  message: string,
  headers: Answer['headers'] = {},
): FailureAnswer => {
  const error = { code, message, status };
  return { status, body: serialiseError(error), headers, error };
};

// A flood of wrong keys is to cost little: these are written once.
const missingApiKeyAnswer = answer(
  401,
  'unauthorized',
  'an API key is needed: Authorization: Bearer <API_KEY>',
  {
    'WWW-Authenticate': 'Bearer',
  },
);
const invalidApiKeyAnswer = answer(401, 'unauthorized', 'this API key is not valid', {
  'WWW-Authenticate': 'Bearer error="invalid_token"',
});

/** The one table from failures to what a client sees of them (interface, section 7). */
export const failureAnswer = (failure: HttpFailure): FailureAnswer => {
  switch (failure._tag) {
    case 'MissingApiKey':
      return missingApiKeyAnswer;
    case 'InvalidApiKey':
      return invalidApiKeyAnswer;
    case 'InvalidQuery':
      return answer(400, 'invalid_query', faultTexts(failure.faults, 'the query').join('; '));
    case 'InvalidBody':
      return answer(400, 'invalid_body', faultTexts(failure.faults, 'the body').join('; '));
    case 'MalformedJson':
      return answer(400, 'malformed_json', `the body must be JSON: ${failure.reason}`);
    case 'InvalidIdempotencyKey':
      return answer(
        400,
        'invalid_idempotency_key',
        'Idempotency-Key must be a string of 1 to 255 characters in double quotes, as in "8e03978e"',
      );
    case 'MalformedRequest':
      return answer(400, 'malformed_request', failure.reason);
    case 'PetNotFound':
    case 'NoSuchPet':
      return answer(404, 'pet_not_found', 'no animal has this id');
    case 'RouteNotFound':
      return answer(404, 'route_not_found', 'nothing is at this path');
    case 'MethodNotAllowed':
      return answer(405, 'method_not_allowed', `this path takes ${failure.allowed.join(', ')} only`, {
        Allow: failure.allowed.join(', '),
      });
    case 'RequestTimeout':
      return answer(408, 'request_timeout', 'the request did not arrive in time');
    case 'IdempotencyKeyInFlight':
      return answer(
        409,
        'idempotency_key_in_flight',
        'the first request with this Idempotency-Key has not ended yet',
      );
    case 'PayloadTooLarge':
      return answer(413, 'payload_too_large', 'the body must be 100 kB at most');
    case 'UnsupportedMediaType':
      return answer(415, 'unsupported_media_type', failure.expected);
    case 'ExpectationFailed':
      return answer(417, 'expectation_failed', 'the only Expect that is met is 100-continue');
    case 'IdempotencyKeyReused':
      return answer(422, 'idempotency_key_reused', 'this Idempotency-Key came with another animal before');
    case 'RateLimited':
      return answer(429, 'rate_limited', 'this API key has made too many requests', {
        'Retry-After': String(failure.retryAfter),
      });
    case 'HeadersTooLarge':
      return answer(431, 'headers_too_large', 'the head of the request must be 16 KiB at most');
    case 'Defect':
      return answer(500, 'internal_error', 'the service failed; the fault is not in the request');
    case 'Unavailable':
      return answer(503, 'unavailable', 'the service can not answer now; try again', {
        'Retry-After': retryAfterSeconds,
      });
    case 'NotReady':
      return answer(503, 'unavailable', `not ready: ${failure.reason}`, { 'Retry-After': retryAfterSeconds });
  }
};
