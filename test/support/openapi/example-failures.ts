import type { HttpFailure } from '../../../adapters/http';
import { petMethods } from '../../../adapters/http/operations/pet-operations';
import { callerOf, decodeOrThrow, KeyId, petNotFound } from '../../../core';

type ExampleFailures = { readonly [Tag in HttpFailure['_tag']]: HttpFailure & { readonly _tag: Tag } };

/** Failure of each kind, with the values of the examples in openapi.json. */
export const exampleFailures: ExampleFailures = {
  InvalidQuery: {
    _tag: 'InvalidQuery',
    fields: [{ name: 'limit', rule: 'invalid', expected: 'an integer from 1 to 100' }],
  },
  InvalidNewPet: {
    _tag: 'InvalidNewPet',
    fields: [
      {
        name: 'name',
        rule: 'invalid',
        expected: 'a string of at most 1000 characters, without U+0000 and lone surrogates',
      },
      { name: 'categoryId', expected: 'an int64', rule: 'required' },
    ],
  },
  MalformedJson: { _tag: 'MalformedJson', reason: 'not valid UTF-8' },
  MalformedRequest: { _tag: 'MalformedRequest', reason: 'a request must have at most one Host header' },
  InvalidIdempotencyKey: { _tag: 'InvalidIdempotencyKey' },
  MissingApiKey: { _tag: 'MissingApiKey' },
  RepeatedBearer: { _tag: 'RepeatedBearer' },
  InvalidApiKey: { _tag: 'InvalidApiKey', reason: 'unknown' },
  ReadOnlyApiKey: { _tag: 'ReadOnlyApiKey' },
  InvalidPetId: { _tag: 'InvalidPetId' },
  PetNotFound: petNotFound(42n),
  RouteNotFound: { _tag: 'RouteNotFound', hint: 'the operations on animals are under /v1' },
  MethodNotAllowed: { _tag: 'MethodNotAllowed', allowed: petMethods },
  RequestTimeout: { _tag: 'RequestTimeout' },
  IdempotencyKeyInFlight: { _tag: 'IdempotencyKeyInFlight' },
  PayloadTooLarge: { _tag: 'PayloadTooLarge' },
  UnsupportedMediaType: {
    _tag: 'UnsupportedMediaType',
    expected: 'Content-Type must be application/json, in UTF-8',
  },
  ExpectationFailed: { _tag: 'ExpectationFailed' },
  IdempotencyKeyReused: { _tag: 'IdempotencyKeyReused' },
  PetDeleted: { _tag: 'PetDeleted' },
  QuotaExceeded: {
    _tag: 'QuotaExceeded',
    caller: callerOf(decodeOrThrow(KeyId, 'example')),
    quota: { requests: 100, seconds: 60, isWithin: false, remaining: 0, resetsInSeconds: 30 },
  },
  HeadersTooLarge: { _tag: 'HeadersTooLarge' },
  Defect: { _tag: 'Defect', cause: undefined },
  Unavailable: { _tag: 'Unavailable', cause: new Error('the database does not answer') },
  NotReady: { _tag: 'NotReady', reason: 'the database does not answer; run `animal-store doctor`' },
  HttpVersionNotSupported: { _tag: 'HttpVersionNotSupported' },
};
