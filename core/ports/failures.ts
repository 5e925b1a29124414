import type { PetId } from '../pets/pet-id';

/** Nobody is known by this API key: it never was issued, is revoked, or has expired. */
export interface InvalidApiKey {
  readonly _tag: 'InvalidApiKey';
}
/** The one value of InvalidApiKey. */
export const invalidApiKey: InvalidApiKey = { _tag: 'InvalidApiKey' };

/**
 * The store can't answer now and may later. A write that ends so may still have been done: its idempotency key
 * tells. The cause is for the log alone.
 */
export interface Unavailable {
  readonly _tag: 'Unavailable';
  readonly cause: unknown;
}
/** An Unavailable with its cause, for an adapter whose store can't answer. */
export const unavailable = (cause: unknown): Unavailable => ({ _tag: 'Unavailable', cause });

/** No animal has this id. */
export interface PetNotFound {
  readonly _tag: 'PetNotFound';
  readonly id: PetId;
}
/** A PetNotFound, for an adapter that has no animal with this id. */
export const petNotFound = (id: PetId): PetNotFound => ({ _tag: 'PetNotFound', id });

/** The owner of the key has used this idempotency key for an animal that differs. */
export interface IdempotencyKeyReused {
  readonly _tag: 'IdempotencyKeyReused';
}
/** The one value of IdempotencyKeyReused. */
export const idempotencyKeyReused: IdempotencyKeyReused = { _tag: 'IdempotencyKeyReused' };

/** The first creation under this idempotency key has not ended yet. */
export interface IdempotencyKeyInFlight {
  readonly _tag: 'IdempotencyKeyInFlight';
}
/** The one value of IdempotencyKeyInFlight. */
export const idempotencyKeyInFlight: IdempotencyKeyInFlight = { _tag: 'IdempotencyKeyInFlight' };

/** Adding many animals at once was given up, by their source or by the store. None of them is stored. */
export interface ImportAborted {
  readonly _tag: 'ImportAborted';
  /** What the source threw, or why the store refused. */
  readonly cause: unknown;
}
/** An ImportAborted with its cause, for an adapter that has stored nothing. */
export const importAborted = (cause: unknown): ImportAborted => ({ _tag: 'ImportAborted', cause });
