import { callerOf, decodeOrThrow, KeyId } from '../../../core';
import { describeFailure, type HttpFailure } from '../errors';

type ExampleFailures = { readonly [Tag in HttpFailure['_tag']]: HttpFailure & { readonly _tag: Tag } };

export const exampleFailures: ExampleFailures = {
  InvalidQuery: {
    _tag: 'InvalidQuery',
    fields: [{ name: 'limit', expected: 'an integer from 1 to 100' }],
  },
  InvalidNewPet: {
    _tag: 'InvalidNewPet',
    fields: [
      {
        name: 'name',
        expected: 'a string of at most 1000 characters, without U+0000 and lone surrogates',
      },
      { name: 'categoryId', expected: 'an int64', isMissing: true },
    ],
  },
  MalformedJson: { _tag: 'MalformedJson', reason: 'not valid UTF-8' },
  MalformedRequest: { _tag: 'MalformedRequest', reason: 'a request must have at most one Host header' },
  InvalidIdempotencyKey: { _tag: 'InvalidIdempotencyKey' },
  MissingApiKey: { _tag: 'MissingApiKey' },
  RepeatedBearer: { _tag: 'RepeatedBearer' },
  InvalidApiKey: { _tag: 'InvalidApiKey', reason: 'unknown' },
  PetNotFound: { _tag: 'PetNotFound' },
  RouteNotFound: { _tag: 'RouteNotFound' },
  MethodNotAllowed: { _tag: 'MethodNotAllowed', allowed: ['GET', 'HEAD', 'POST'] },
  RequestTimeout: { _tag: 'RequestTimeout' },
  IdempotencyKeyInFlight: { _tag: 'IdempotencyKeyInFlight' },
  PayloadTooLarge: { _tag: 'PayloadTooLarge' },
  UnsupportedMediaType: {
    _tag: 'UnsupportedMediaType',
    expected: 'Content-Type must be application/json, in UTF-8',
  },
  ExpectationFailed: { _tag: 'ExpectationFailed' },
  IdempotencyKeyReused: { _tag: 'IdempotencyKeyReused' },
  QuotaExceeded: {
    _tag: 'QuotaExceeded',
    caller: callerOf(decodeOrThrow(KeyId, 'example')),
    quota: { requests: 100, seconds: 60, isWithin: false, remaining: 0, resetsInSeconds: 30 },
  },
  HeadersTooLarge: { _tag: 'HeadersTooLarge' },
  Defect: { _tag: 'Defect', cause: undefined },
  Unavailable: { _tag: 'Unavailable', cause: new Error('the database does not answer') },
  NotReady: { _tag: 'NotReady', reason: 'the database does not answer' },
  HttpVersionNotSupported: { _tag: 'HttpVersionNotSupported' },
};

const descriptions = Object.values(exampleFailures).map(describeFailure);

export const errorCodes = [...new Set(descriptions.map(({ code }) => code))].sort();

const escapeCell = (text: string): string => text.replace(/[<|]/g, '\\$&');

const retries: Readonly<Record<string, string>> = {
  idempotency_key_in_flight: 'yes, after `Retry-After`',
  rate_limited: 'yes, after `Retry-After`',
  request_timeout: 'yes, on a new connection',
  unavailable: 'yes, after `Retry-After`; a create only with an idempotency key',
  expectation_failed: 'yes, without the `Expect` header',
  http_version_not_supported: 'yes, over HTTP/1.1',
};

/**
 * Markdown table of all error codes, for the description in document.ts. components.ts takes the example failures and
 * the codes from this file.
 */
export const errorTable = [
  '| `code` | `status` | Retry | `message`, for example |',
  '|---|---|---|---|',
  ...errorCodes.map((code) => {
    const same = descriptions.filter((description) => description.code === code);
    const messages = [...new Set(same.map(({ message }) => `"${escapeCell(message)}"`))].join(' or ');
    return `| \`${code}\` | ${same[0]?.status ?? ''} | ${retries[code] ?? 'no'} | ${messages} |`;
  }),
].join('\n');
