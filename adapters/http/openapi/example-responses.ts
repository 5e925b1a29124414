import * as R from 'fp-ts/Record';
import { idempotencyKeyInFlight, idempotencyKeyReused, invalidApiKey, unavailable } from '../../../core';
import { failureResponse } from '../responses/failure-response';
import type { HttpFailure } from '../responses/http-failures';

type Examples = {
  readonly [Tag in Exclude<HttpFailure['_tag'], 'PetNotFound'>]: HttpFailure & { readonly _tag: Tag };
};

// A client can't tell PetNotFound from NoSuchPet.
const exampleFailures: Examples = {
  MissingApiKey: { _tag: 'MissingApiKey' },
  InvalidApiKey: invalidApiKey,
  InvalidQuery: {
    _tag: 'InvalidQuery',
    fieldErrors: [{ field: 'limit', expected: 'an integer from 1 to 100' }],
  },
  InvalidBody: {
    _tag: 'InvalidBody',
    fieldErrors: [{ field: 'name', expected: 'a string without U+0000 and lone surrogates' }],
  },
  MalformedJson: { _tag: 'MalformedJson', reason: 'it is not valid UTF-8' },
  InvalidIdempotencyKey: { _tag: 'InvalidIdempotencyKey' },
  MalformedRequest: { _tag: 'MalformedRequest', reason: 'a request must have one Host header' },
  NoSuchPet: { _tag: 'NoSuchPet' },
  RouteNotFound: { _tag: 'RouteNotFound' },
  MethodNotAllowed: { _tag: 'MethodNotAllowed', allowed: ['GET', 'HEAD', 'POST'] },
  HttpVersionNotSupported: { _tag: 'HttpVersionNotSupported' },
  RequestTimeout: { _tag: 'RequestTimeout' },
  IdempotencyKeyInFlight: idempotencyKeyInFlight,
  PayloadTooLarge: { _tag: 'PayloadTooLarge' },
  UnsupportedMediaType: {
    _tag: 'UnsupportedMediaType',
    expected: 'the body must be application/json, in UTF-8',
  },
  ExpectationFailed: { _tag: 'ExpectationFailed' },
  IdempotencyKeyReused: idempotencyKeyReused,
  RateLimited: { _tag: 'RateLimited', retryAfter: 30 },
  HeadersTooLarge: { _tag: 'HeadersTooLarge' },
  Defect: { _tag: 'Defect', cause: undefined },
  Unavailable: unavailable(undefined),
  NotReady: { _tag: 'NotReady', reason: 'the database does not answer' },
};

/** What one failure of each kind is answered with, for the OpenAPI documents. */
export const exampleResponses = R.map(failureResponse)(exampleFailures);

/** Every value that `code` takes in an Error, one meaning each. */
export const errorCodes = [...new Set(Object.values(exampleResponses).map(({ error }) => error.code))].sort();
