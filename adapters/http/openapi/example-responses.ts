import * as R from 'fp-ts/Record';
import { constantResponses, failureResponse, type FailureResponse } from '../responses/failure-response';
import type { HttpFailure } from '../responses/http-failures';

/** What one failure of each kind is answered with, for the OpenAPI documents. */
export const exampleResponses = {
  ...constantResponses,
  ...R.map(failureResponse)({
    InvalidQuery: {
      _tag: 'InvalidQuery',
      fieldErrors: [{ field: 'limit', expected: 'an integer from 1 to 100' }],
    },
    InvalidBody: {
      _tag: 'InvalidBody',
      fieldErrors: [{ field: 'name', expected: 'a string without U+0000 and lone surrogates' }],
    },
    MalformedJson: { _tag: 'MalformedJson', reason: 'it is not valid UTF-8' },
    MalformedRequest: { _tag: 'MalformedRequest', reason: 'a request must have one Host header' },
    MethodNotAllowed: { _tag: 'MethodNotAllowed', allowed: ['GET', 'HEAD', 'POST'] },
    UnsupportedMediaType: {
      _tag: 'UnsupportedMediaType',
      expected: 'the body must be application/json, in UTF-8',
    },
    RateLimited: { _tag: 'RateLimited', retryAfter: 30 },
    NotReady: { _tag: 'NotReady', reason: 'the database does not answer' },
  }),
} satisfies Readonly<Record<HttpFailure['_tag'], FailureResponse>>;

/** Every value that `code` takes in an Error, one meaning each. */
export const errorCodes = [...new Set(Object.values(exampleResponses).map(({ error }) => error.code))].sort();
