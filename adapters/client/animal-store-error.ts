import { type InvalidField, invalidFieldTexts, isString } from '../../core/validation';
import { errorStatuses } from '../failures';
import { propertyOf } from './values';

const statuses = {
  ...errorStatuses,
  // Codes that only the client uses. Their statuses suit a server that passes the error on to its own clients.
  invalid_argument: 400,
  aborted: 499,
  callback_failed: 500,
  unexpected_response: 500,
  network: 502,
  timeout: 504,
} as const;

/** Code of a failed call: one of the service's error codes, or one that the client adds. */
export type AnimalStoreErrorCode = keyof typeof statuses;

type DetailName =
  'status' | 'fields' | 'requestId' | 'retryAfterMs' | 'attempts' | 'idempotencyKey' | 'cause';

type Details = { readonly [Name in DetailName]?: AnimalStoreError[Name] | undefined };

/** Error of a failed call of an AnimalStoreClient. */
export class AnimalStoreError extends Error {
  /** Makes `instanceof` true for errors of another copy of this class in the same program, such as a bundled copy. */
  static override [Symbol.hasInstance](value: unknown): value is AnimalStoreError {
    return value instanceof Error && value.name === 'AnimalStoreError';
  }

  /** Name of the class, which is the same in every copy of the client. */
  override readonly name = 'AnimalStoreError';
  /** Name of the failure, such as `pet_not_found`. */
  readonly code: AnimalStoreErrorCode;
  /** HTTP status of the response if it reports an error, otherwise a status that fits the code. */
  readonly status: number;
  /**
   * Invalid arguments. Empty for codes other than `invalid_argument`. A platform without
   * `crypto.getRandomValues` also causes `invalid_argument`, with an empty list.
   */
  readonly fields: ReadonlyArray<InvalidField>;
  /** Id that the last request has in the log of the service, or undefined without a response. */
  readonly requestId: string | undefined;
  /** Time that the service asks to wait before the next call. */
  readonly retryAfterMs: number | undefined;
  /** Number of attempts of the call. */
  readonly attempts: number;
  /** Idempotency key of a failed create. A retry with this key adds no second animal. */
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

  /** Returns the properties that `JSON.stringify` writes: all but the cause and the stack. */
  toJSON(): object {
    return Object.assign({}, this, { message: this.message });
  }
}

/**
 * True for an error that must reach the caller unchanged: an AnimalStoreError, or an error with a `digest`. Frameworks
 * such as Next control their rendering by errors with a `digest`.
 */
export const mustReachCaller = (error: unknown): boolean =>
  error instanceof AnimalStoreError || isString(propertyOf(error, 'digest'));

export const invalidArgument = (fields: ReadonlyArray<InvalidField>, cause?: unknown): AnimalStoreError =>
  new AnimalStoreError('invalid_argument', invalidFieldTexts(fields).join('; '), { fields, cause });

export const petNotFoundError = (id: bigint, details?: Details): AnimalStoreError =>
  new AnimalStoreError('pet_not_found', `pet not found: no animal has the id ${id}`, details);
