import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKey, Caller, KeyId, OwnerId, ScopedIdempotencyKey } from './keys';
import type { PetPage, PetQuery } from './pet-query';
import type { NewPet, Pet, PetId } from './pets';
import { maxTimerMs } from './timeouts';

/** Time by `performance.now()` after which a caller no longer waits for the result of a call. */
export type Deadline = number;

/**
 * The store cannot answer now, but may later. A write may still have been done: retry it with its idempotency key.
 * `cause` is for the log, not for clients.
 */
export interface Unavailable {
  readonly _tag: 'Unavailable';
  readonly cause: Error;
}
/** Makes an Unavailable. A cause that is not an Error is converted to one. */
export const unavailable = (cause: unknown): Unavailable => ({
  _tag: 'Unavailable',
  cause: E.toError(cause),
});

/** The API key is not valid. `reason` and `keyId` are for the log, and are not sent to the client. */
export interface InvalidApiKey {
  readonly _tag: 'InvalidApiKey';
  /** `unknown` if the key was never issued or its secret is wrong. */
  readonly reason: 'unknown' | 'expired' | 'revoked';
  /** Id that the text of the API key contains, if any. The id of an `unknown` key is unverified input. */
  readonly keyId?: KeyId;
}
/** Makes an InvalidApiKey. */
export const invalidApiKey = (reason: InvalidApiKey['reason'], keyId?: KeyId): InvalidApiKey =>
  keyId === undefined ? { _tag: 'InvalidApiKey', reason } : { _tag: 'InvalidApiKey', reason, keyId };

/** No animal has this id. */
export interface PetNotFound {
  readonly _tag: 'PetNotFound';
  readonly id: PetId;
}
/** Makes a PetNotFound. */
export const petNotFound = (id: PetId): PetNotFound => ({ _tag: 'PetNotFound', id });

/** The owner of the API key has already used this idempotency key for a different animal. */
export interface IdempotencyKeyReused {
  readonly _tag: 'IdempotencyKeyReused';
}
export const idempotencyKeyReused: IdempotencyKeyReused = { _tag: 'IdempotencyKeyReused' };

/** The first create with this idempotency key is still in progress. */
export interface IdempotencyKeyInFlight {
  readonly _tag: 'IdempotencyKeyInFlight';
}
export const idempotencyKeyInFlight: IdempotencyKeyInFlight = { _tag: 'IdempotencyKeyInFlight' };

/** The source or the store ended an import. None of its animals is stored. */
export interface ImportAborted {
  readonly _tag: 'ImportAborted';
  readonly cause: unknown;
}
/** Makes an ImportAborted. */
export const importAborted = (cause: unknown): ImportAborted => ({ _tag: 'ImportAborted', cause });

/**
 * The authentication port. Returns the caller to whom an API key belongs. Fails with Unavailable at the deadline.
 * Adapters must pass the suite `authenticateContract`.
 */
export type Authenticate = (
  apiKey: ApiKey,
  deadline?: Deadline,
) => TaskEither<InvalidApiKey | Unavailable, Caller>;

export interface RateLimit {
  readonly requests: number;
  readonly seconds: number;
}

export interface Quota extends RateLimit {
  readonly isWithin: boolean;
  readonly remaining: number;
  /** Time until the full quota is available again, rounded up. */
  readonly resetsInSeconds: number;
}

/**
 * The rate limit port. Counts a request of an owner. Fails with Unavailable at the deadline; the request may still be
 * counted.
 */
export type ConsumeQuota = (ownerId: OwnerId, deadline?: Deadline) => TaskEither<Unavailable, Quota>;

/** An animal in the store. `replayed` is true if an earlier create with the same idempotency key added it. */
export interface CreatedPet {
  readonly pet: Pet;
  readonly replayed: boolean;
}

/**
 * The port to the store of animals, which the operations of the core call. Adapters must pass the suite
 * `petRepositoryContract`. Each call fails with Unavailable at its deadline, and a create may still have been done. An
 * adapter that answers at once may ignore deadlines.
 */
export interface PetRepository {
  /**
   * Reads one page, and sees every create that ended before the call. `owner` is the owner of the caller's API key, so
   * that a store can divide its time fairly among owners.
   */
  readonly list: (query: PetQuery, deadline?: Deadline, owner?: OwnerId) => TaskEither<Unavailable, PetPage>;
  readonly find: (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
  /**
   * Adds an animal and ends once it is durable. `resolveIdempotentCreate` says what a create with an already used key
   * does.
   */
  readonly create: (
    newPet: NewPet,
    key?: ScopedIdempotencyKey,
    deadline?: Deadline,
  ) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;
  /**
   * Adds all animals of a source, with ascending ids in its order, or none of them, and returns their number. Reads the
   * source once, and ends when the source throws. Readers see these animals only once all are stored; until then the
   * store may reject other creates. ImportAborted: none is stored. Unavailable: all are stored, or none.
   */
  readonly importAll: (newPets: AsyncIterable<NewPet>) => TaskEither<ImportAborted | Unavailable, number>;
}

const deadlineOver = (): E.Either<Unavailable, never> =>
  E.left(unavailable(new Error('the store did not answer before the deadline of the call')));

/** Makes a call fail with Unavailable at its deadline. The call is not cancelled, and its later result is ignored. */
export const endAtDeadline =
  <F, A>(call: TaskEither<F, A>, deadline: Deadline | undefined): TaskEither<F | Unavailable, A> =>
  () => {
    if (deadline === undefined) return call();
    const remainingMs = deadline - performance.now();
    if (remainingMs <= 0) return Promise.resolve(deadlineOver());
    if (remainingMs > maxTimerMs) return call();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        resolve(deadlineOver());
      }, remainingMs);
      const stopTimer = (): void => {
        clearTimeout(timer);
      };
      const answered = call();
      answered.then(resolve, reject);
      answered.then(stopTimer, stopTimer);
    });
  };
