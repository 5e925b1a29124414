import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { ApiKey, Caller, KeyId, OwnerId, ScopedIdempotencyKey } from './keys';
import { NewPet, type Pet, type PetId, type PetPage, type PetQuery } from './pets';
import { maxTimerMs } from './rules';

/** Time in milliseconds, by `performance.now()`, at which a caller stops waiting for the result of a call. */
export type Deadline = number;

/**
 * Failure of any call: the store cannot answer now, but may later. A create that fails this way may still have added
 * its animal; retry it with the same idempotency key. `cause` is for the log, not for clients.
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

/**
 * Failure of an authentication: the API key is not valid. `reason` and `keyId` are for the log, not for the client. The
 * reason is `unknown` if the key matches no issued key. `keyId` is the id that the text of the key contains, if any.
 * With the reason `unknown`, this id is unverified input.
 */
export interface InvalidApiKey {
  readonly _tag: 'InvalidApiKey';
  readonly reason: 'unknown' | 'expired' | 'revoked';
  readonly keyId?: KeyId;
}
/** Makes an InvalidApiKey. */
export const invalidApiKey = (reason: InvalidApiKey['reason'], keyId?: KeyId): InvalidApiKey =>
  keyId === undefined ? { _tag: 'InvalidApiKey', reason } : { _tag: 'InvalidApiKey', reason, keyId };

/** Failure of a read by id: no animal has this id. */
export interface PetNotFound {
  readonly _tag: 'PetNotFound';
  readonly id: PetId;
}
/** Makes a PetNotFound. */
export const petNotFound = (id: PetId): PetNotFound => ({ _tag: 'PetNotFound', id });

/** Failure of a create: the owner of the API key has already used this idempotency key for a different animal. */
export interface IdempotencyKeyReused {
  readonly _tag: 'IdempotencyKeyReused';
}
export const idempotencyKeyReused: IdempotencyKeyReused = { _tag: 'IdempotencyKeyReused' };

/** Failure of a create: the first create with this idempotency key is still in progress. */
export interface IdempotencyKeyInFlight {
  readonly _tag: 'IdempotencyKeyInFlight';
}
export const idempotencyKeyInFlight: IdempotencyKeyInFlight = { _tag: 'IdempotencyKeyInFlight' };

/** Failure of an import: the source or the store ended it. None of its animals is stored. */
export interface ImportAborted {
  readonly _tag: 'ImportAborted';
  readonly cause: unknown;
}
/** Makes an ImportAborted. */
export const importAborted = (cause: unknown): ImportAborted => ({ _tag: 'ImportAborted', cause });

/**
 * Authentication port, which `openAnimalStore` of operations.ts calls. Returns the caller to whom an API key belongs.
 * `openAnimalStore` ends the call at the deadline. Adapters must pass the contract suite `authenticateContract`.
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
 * Rate limit port, which `quota` of adapters/http/middleware.ts calls. Counts one request of an owner. Fails with
 * Unavailable at the deadline, but the request may still be counted. Adapters must pass the contract suite
 * `consumeQuotaContract`.
 */
export type ConsumeQuota = (ownerId: OwnerId, deadline?: Deadline) => TaskEither<Unavailable, Quota>;

/** Result of a create. `replayed` is true if an earlier create with the same idempotency key added the animal. */
export interface CreatedPet {
  readonly pet: Pet;
  readonly replayed: boolean;
}

/** Number of the animals that an import added, and their first and last id. An empty import has no ids. */
export interface ImportedPets {
  readonly count: number;
  readonly firstId: PetId | undefined;
  readonly lastId: PetId | undefined;
}

/**
 * Port through which operations.ts uses the store of animals. Adapters must pass the contract suite
 * `petRepositoryContract`. operations.ts ends each call with Unavailable at its deadline. An adapter may ignore the
 * deadline, or use it to skip work whose result would come too late.
 */
export interface PetRepository {
  /** Reads one page. Every animal whose create ended before the call is visible. */
  readonly list: (query: PetQuery, deadline?: Deadline) => TaskEither<Unavailable, PetPage>;
  readonly find: (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
  /**
   * Adds an animal, and resolves once the animal is stored durably. `resolveIdempotentCreate` defines the result if the
   * idempotency key was used before.
   */
  readonly create: (
    newPet: NewPet,
    key?: ScopedIdempotencyKey,
    deadline?: Deadline,
  ) => TaskEither<IdempotencyKeyReused | IdempotencyKeyInFlight | Unavailable, CreatedPet>;
  /**
   * Adds all animals of a source or none, and returns their number and ids. Their ids ascend in the order of the source.
   * Reads the source once, and stops reading if the source throws. Readers see none of the animals before all are
   * stored. Until then, the store may reject other creates. ImportAborted means that no animal is stored. Unavailable
   * means that either all are stored or none.
   */
  readonly importAll: (
    newPets: AsyncIterable<NewPet>,
  ) => TaskEither<ImportAborted | Unavailable, ImportedPets>;
}

export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

export interface IdempotencyRecord {
  readonly pet: Pet | undefined;
  readonly expiresAt: number;
}

type IdempotentCreate =
  | { readonly _tag: 'Create'; readonly expiresAt: number }
  | { readonly _tag: 'Replay'; readonly pet: Pet }
  | IdempotencyKeyReused;

/**
 * Decides the outcome of a create: add its animal, replay the animal that an earlier create with the same idempotency
 * key added, or reject the create. A key is valid for 24 hours, or until its animal is removed. Reuse of a valid key
 * for a different animal is rejected. Repositories such as adapters/in-memory and adapters/knex/pets/create.ts call
 * this function with the stored record of the key, if there is one. `now` and `expiresAt` are times in milliseconds by
 * the same clock.
 */
export const resolveIdempotentCreate = (
  record: IdempotencyRecord | undefined,
  newPet: NewPet,
  now: number,
): IdempotentCreate => {
  if (record?.pet === undefined || record.expiresAt <= now) {
    return { _tag: 'Create', expiresAt: now + idempotencyTtlMs };
  }
  return NewPet.eq.equals(record.pet, newPet) ? { _tag: 'Replay', pet: record.pet } : idempotencyKeyReused;
};

const deadlineOver = (): E.Either<Unavailable, never> =>
  E.left(unavailable(new Error('the store did not answer before the deadline of the call')));

/**
 * Makes a call fail with Unavailable at its deadline. The call itself goes on, but its result is ignored. If the call
 * throws, the promise rejects. operations.ts and several adapters call this function.
 */
export const endAtDeadline =
  <F, A>(call: TaskEither<F, A>, deadline: Deadline = Infinity): TaskEither<F | Unavailable, A> =>
  () =>
    new Promise((resolve, reject) => {
      const remainingMs = deadline - performance.now();
      if (remainingMs <= 0) {
        resolve(deadlineOver());
        return;
      }
      const answered = call();
      if (remainingMs > maxTimerMs) {
        resolve(answered);
        return;
      }
      const timer = setTimeout(() => {
        resolve(deadlineOver());
      }, remainingMs);
      answered.then(
        (answer) => {
          clearTimeout(timer);
          resolve(answer);
        },
        (error: unknown) => {
          clearTimeout(timer);
          reject(E.toError(error));
        },
      );
    });
