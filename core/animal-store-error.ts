/**
 * Error codes of the service's responses. adapters/http-client/http-transport.ts checks that an error response has one
 * of these codes.
 */
export const serviceErrorCodes = [
  'expectation_failed',
  'headers_too_large',
  'http_version_not_supported',
  'idempotency_key_in_flight',
  'idempotency_key_reused',
  'internal_error',
  'invalid_body',
  'invalid_idempotency_key',
  'invalid_query',
  'malformed_json',
  'malformed_request',
  'method_not_allowed',
  'payload_too_large',
  'pet_not_found',
  'rate_limited',
  'request_timeout',
  'route_not_found',
  'unauthorized',
  'unavailable',
  'unsupported_media_type',
] as const;

const clientCodes = ['network', 'timeout', 'aborted', 'unexpected_response'] as const;

export const animalStoreErrorCodes = [...serviceErrorCodes, ...clientCodes];

export type AnimalStoreErrorCode = (typeof animalStoreErrorCodes)[number];

interface Details {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

/**
 * Error of a failed call of an AnimalStoreClient. retry.ts, embedded-client.ts and adapters/http-client make it.
 * `requestId` is the id of the call's last request in the log of the service. `idempotencyKey` belongs to a failed
 * create; a retry with this key adds no second animal.
 */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';
  readonly code: AnimalStoreErrorCode;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(code: AnimalStoreErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 1;
    this.idempotencyKey = details.idempotencyKey;
  }
}
