/** Codes that a response can have. The HTTP client knows the service's errors by them. */
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

/** The error with which each call of an AnimalStoreClient rejects, unless an argument is invalid. */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';
  readonly code: AnimalStoreErrorCode;
  readonly status: number | undefined;
  /** Id of the last request, for finding it in the log of the service. */
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
  /** Idempotency key of a failed create. A retry with this key adds no second animal. */
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
