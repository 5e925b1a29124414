import { NewPet, type Pet } from './pets';
import { type IdempotencyKeyReused, idempotencyKeyReused } from './ports';

export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

export interface IdempotencyRecord {
  /** Undefined if the animal is no longer in the store. */
  readonly pet: Pet | undefined;
  /** Milliseconds, by the clock that gives `now` to `resolveIdempotentCreate`. */
  readonly expiresAt: number;
}

type IdempotentCreate =
  | { readonly _tag: 'Create'; readonly expiresAt: number }
  | { readonly _tag: 'Replay'; readonly pet: Pet }
  | IdempotencyKeyReused;

/**
 * Decides between creating, replaying and refusing a create with an idempotency key. Within 24 hours the same create adds
 * one animal, and a different one is refused. A key is free again once its record expires or its animal is gone.
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
