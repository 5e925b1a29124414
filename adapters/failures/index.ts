/*
 * Codes, HTTP statuses and texts of failures, for the HTTP API and for the client of an embedded store. Imports only
 * those files of the core that import no package, so that a bundle of the client stays small.
 */
import type { PetNotFound, StoreFailure } from '../../core';
import { idempotencyKeyPattern } from '../../core/rules';
import { invalidFieldTexts } from '../../core/validation';

/** Error codes of the service, each with the status of its responses. */
export const errorStatuses = {
  invalid_body: 400,
  invalid_idempotency_key: 400,
  invalid_query: 400,
  malformed_json: 400,
  malformed_request: 400,
  unauthorized: 401,
  forbidden: 403,
  pet_not_found: 404,
  route_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  idempotency_key_in_flight: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  expectation_failed: 417,
  idempotency_key_reused: 422,
  pet_deleted: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  unavailable: 503,
  http_version_not_supported: 505,
} as const;

export type ErrorCode = keyof typeof errorStatuses;

/** Time to wait before a retry after IdempotencyKeyInFlight or Unavailable. */
export const retryDelayMs = 1_000;

interface StoreFailureDescription {
  readonly code: ErrorCode;
  readonly message: string;
  /** Time to wait before a retry. Undefined if a retry can't succeed. */
  readonly retryAfterMs?: number | undefined;
}

const describe = (code: ErrorCode, message: string, retryAfterMs?: number): StoreFailureDescription => ({
  code,
  message,
  retryAfterMs,
});

/**
 * Describes a failure of the store to its caller. Each adapter describes PetNotFound itself. The message calls the
 * idempotency key `key`, and an invalid animal or query `input`.
 */
export const describeStoreFailure = (
  failure: Exclude<StoreFailure, PetNotFound>,
  key: string,
  input?: string,
): StoreFailureDescription => {
  switch (failure._tag) {
    case 'IdempotencyKeyInFlight':
      return describe(
        'idempotency_key_in_flight',
        `a request with this ${key} is still in progress; try again`,
        retryDelayMs,
      );
    case 'IdempotencyKeyReused':
      return describe(
        'idempotency_key_reused',
        `this ${key} was already used for a different animal; use a new key`,
      );
    case 'InvalidApiKey':
      return describe(
        'unauthorized',
        'the API key is unknown, expired or revoked; ask the operator of the service for a valid key',
      );
    case 'InvalidIdempotencyKey':
      return describe('invalid_idempotency_key', `${key} must be ${idempotencyKeyPattern.expected}`);
    case 'InvalidNewPet':
      return describe('invalid_body', invalidFieldTexts(failure.fields, input).join('; '));
    case 'InvalidQuery':
      return describe('invalid_query', invalidFieldTexts(failure.fields, input).join('; '));
    case 'PetDeleted':
      return describe(
        'pet_deleted',
        `the animal of this ${key} was added and then deleted; to add it again, use a new key`,
      );
    case 'QuotaExceeded':
      return describe(
        'rate_limited',
        'the owner of this API key has sent too many requests; wait',
        failure.quota.resetsInSeconds * 1_000,
      );
    case 'ReadOnlyApiKey':
      return describe('forbidden', 'this API key may only read; add animals with another key');
    case 'Unavailable':
      return describe('unavailable', 'service unavailable; try again', retryDelayMs);
  }
};
