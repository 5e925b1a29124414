/** Error codes of the service's responses, each with its status. */
export const serviceStatuses = {
  expectation_failed: 417,
  headers_too_large: 431,
  http_version_not_supported: 505,
  idempotency_key_in_flight: 409,
  idempotency_key_reused: 422,
  internal_error: 500,
  invalid_body: 400,
  invalid_idempotency_key: 400,
  invalid_query: 400,
  malformed_json: 400,
  malformed_request: 400,
  method_not_allowed: 405,
  payload_too_large: 413,
  pet_not_found: 404,
  rate_limited: 429,
  request_timeout: 408,
  route_not_found: 404,
  unauthorized: 401,
  unavailable: 503,
  unsupported_media_type: 415,
} as const;

const statuses = {
  ...serviceStatuses,
  // A client adds these codes, each with the status that fits it for a program that passes the error on.
  invalid_argument: 400,
  aborted: 499,
  unexpected_response: 500,
  network: 502,
  timeout: 504,
} as const;

/** Code of a failed call: one of the service's error codes, or one that the client adds. */
export type AnimalStoreErrorCode = keyof typeof statuses;

/** Argument, or field of an animal, that is invalid: its name as the caller wrote it, and the values that it accepts. */
export interface InvalidField {
  readonly name: string;
  readonly expected: string;
}

type DetailName =
  'status' | 'fields' | 'requestId' | 'retryAfterMs' | 'attempts' | 'idempotencyKey' | 'cause';

type Details = { readonly [Name in DetailName]?: AnimalStoreError[Name] | undefined };

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
    this.status = details.status ?? statuses[code];
    this.fields = details.fields ?? [];
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.attempts = details.attempts ?? 0;
    this.idempotencyKey = details.idempotencyKey;
  }
}

/** Makes the error of a call with these invalid arguments. */
export const invalidArgument = (
  fields: ReadonlyArray<InvalidField & { readonly isMissing?: boolean }>,
  cause?: unknown,
) =>
  new AnimalStoreError(
    'invalid_argument',
    fields
      .map(({ name, expected, isMissing = false }) =>
        isMissing ? `${name} is missing; it must be ${expected}` : `${name} must be ${expected}`,
      )
      .join('; '),
    { fields: fields.map(({ name, expected }) => ({ name, expected })), cause },
  );
