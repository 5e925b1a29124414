import type { MalformedJson } from '../representation/parse-json';
import type {
  FieldError,
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  InvalidApiKey,
  PetNotFound,
  Unavailable,
} from '../../../core';

export interface MissingApiKey {
  readonly _tag: 'MissingApiKey';
}

export interface InvalidQuery {
  readonly _tag: 'InvalidQuery';
  readonly fieldErrors: ReadonlyArray<FieldError>;
}

export interface InvalidBody {
  readonly _tag: 'InvalidBody';
  readonly fieldErrors: ReadonlyArray<FieldError>;
}

export interface InvalidIdempotencyKey {
  readonly _tag: 'InvalidIdempotencyKey';
}

export interface RouteNotFound {
  readonly _tag: 'RouteNotFound';
}

/** A petId that is no int64: like any id that no animal has. */
export interface NoSuchPet {
  readonly _tag: 'NoSuchPet';
}

export interface MethodNotAllowed {
  readonly _tag: 'MethodNotAllowed';
  readonly allowed: ReadonlyArray<string>;
}

export interface PayloadTooLarge {
  readonly _tag: 'PayloadTooLarge';
}

export interface UnsupportedMediaType {
  readonly _tag: 'UnsupportedMediaType';
  readonly expected: string;
}

export interface MalformedRequest {
  readonly _tag: 'MalformedRequest';
  readonly reason: string;
}

export interface HttpVersionNotSupported {
  readonly _tag: 'HttpVersionNotSupported';
}

export interface RequestTimeout {
  readonly _tag: 'RequestTimeout';
}

export interface HeadersTooLarge {
  readonly _tag: 'HeadersTooLarge';
}

export interface ExpectationFailed {
  readonly _tag: 'ExpectationFailed';
}

/** The key's quota is used up. */
export interface RateLimited {
  readonly _tag: 'RateLimited';
  /** In seconds. */
  readonly retryAfter: number;
}

/** The service is not to be sent requests now. The reason is for anyone to read. */
export interface NotReady {
  readonly _tag: 'NotReady';
  readonly reason: string;
}

/** A mistake of ours. What is known of it goes to the log, never to the client. */
export interface Defect {
  readonly _tag: 'Defect';
  readonly cause: unknown;
}

/** Whatever can go wrong between a socket and a row. */
export type HttpFailure =
  | InvalidApiKey
  | PetNotFound
  | IdempotencyKeyReused
  | IdempotencyKeyInFlight
  | Unavailable
  | MissingApiKey
  | InvalidQuery
  | InvalidBody
  | MalformedJson
  | InvalidIdempotencyKey
  | RouteNotFound
  | NoSuchPet
  | MethodNotAllowed
  | PayloadTooLarge
  | UnsupportedMediaType
  | MalformedRequest
  | HttpVersionNotSupported
  | RequestTimeout
  | HeadersTooLarge
  | ExpectationFailed
  | RateLimited
  | NotReady
  | Defect;
