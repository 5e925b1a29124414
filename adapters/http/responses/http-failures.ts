import type {
  FieldError,
  IdempotencyKeyInFlight,
  IdempotencyKeyReused,
  InvalidApiKey,
  Unavailable,
} from '../../../core';
import type { MalformedJson } from '../representation/parse-json';

/** The service is not to be sent requests now. The reason is for anyone to read. */
export interface NotReady {
  readonly _tag: 'NotReady';
  readonly reason: string;
}

/** Whatever can go wrong between a socket and a row. */
export type HttpFailure =
  | InvalidApiKey
  | IdempotencyKeyReused
  | IdempotencyKeyInFlight
  | Unavailable
  | MalformedJson
  | NotReady
  | {
      readonly _tag:
        | 'ExpectationFailed'
        | 'HeadersTooLarge'
        | 'HttpVersionNotSupported'
        | 'InvalidIdempotencyKey'
        | 'MissingApiKey'
        | 'PayloadTooLarge'
        // A petId that is no int64 is like any id that no animal has.
        | 'PetNotFound'
        | 'RequestTimeout'
        | 'RouteNotFound';
    }
  | { readonly _tag: 'InvalidQuery' | 'InvalidBody'; readonly fieldErrors: ReadonlyArray<FieldError> }
  | { readonly _tag: 'MethodNotAllowed'; readonly allowed: ReadonlyArray<string> }
  | { readonly _tag: 'UnsupportedMediaType'; readonly expected: string }
  | { readonly _tag: 'MalformedRequest'; readonly reason: string }
  // The key's quota is used up; `retryAfter` is in seconds.
  | { readonly _tag: 'RateLimited'; readonly retryAfter: number }
  // A mistake of ours. What is known of it goes to the log, never to the client.
  | { readonly _tag: 'Defect'; readonly cause: unknown };
