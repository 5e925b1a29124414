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

/** Error codes that a client adds, each with the status that fits it for a program that passes the error on. */
const clientStatuses = {
  invalid_argument: 400,
  aborted: 499,
  unexpected_response: 500,
  network: 502,
  timeout: 504,
} as const;

type ClientCode = keyof typeof clientStatuses;

export type AnimalStoreErrorCode = (typeof serviceErrorCodes)[number] | ClientCode;

/** Argument, or field of an animal, that is invalid: its name as the caller wrote it, and the values that it accepts. */
export interface InvalidField {
  readonly name: string;
  readonly expected: string;
}

interface Details {
  readonly status?: number | undefined;
  readonly fields?: ReadonlyArray<InvalidField> | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly attempts?: number | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly cause?: unknown;
}

const isClientCode = (code: AnimalStoreErrorCode): code is ClientCode => Object.hasOwn(clientStatuses, code);

/**
 * Error of a failed call of an AnimalStoreClient. `status` is the HTTP status of the response, or the status that fits
 * the code. `fields` names the invalid arguments of a call with the status 400. `attempts` counts the requests that
 * were sent. `requestId` is the id of the last one in the log of the service. `idempotencyKey` belongs to a failed
 * create; a retry with this key adds no second animal.
 */
export class AnimalStoreError extends Error {
  override readonly name = 'AnimalStoreError';
  readonly code: AnimalStoreErrorCode;
  readonly status: number;
  readonly fields: ReadonlyArray<InvalidField>;
  readonly requestId: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor(code: AnimalStoreErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.status = details.status ?? (isClientCode(code) ? clientStatuses[code] : 500);
    this.fields = details.fields ?? [];
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 0;
    this.idempotencyKey = details.idempotencyKey;
  }
}

/** Makes the error of a call with these invalid arguments. */
export const invalidArgument = (fields: ReadonlyArray<InvalidField & { readonly isMissing?: boolean }>) =>
  new AnimalStoreError(
    'invalid_argument',
    fields
      .map(({ name, expected, isMissing = false }) =>
        isMissing ? `${name} is missing; it must be ${expected}` : `${name} must be ${expected}`,
      )
      .join('; '),
    { fields: fields.map(({ name, expected }) => ({ name, expected })) },
  );
