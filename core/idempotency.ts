import { NewPet, type Pet } from './pets';
import { type IdempotencyKeyReused, idempotencyKeyReused } from './ports';

export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

export interface IdempotencyRecord {
  readonly pet: Pet | undefined;
  /** Time in milliseconds, by the same clock as the argument `now` of `resolveIdempotentCreate`. */
  readonly expiresAt: number;
}

type IdempotentCreate =
  | { readonly _tag: 'Create'; readonly expiresAt: number }
  | { readonly _tag: 'Replay'; readonly pet: Pet }
  | IdempotencyKeyReused;

/**
 * Decides whether a create adds its animal, returns the one that an earlier create with its key added, or is rejected.
 * A key is valid for 24 hours, or until its animal is removed. A different animal under the same key is rejected.
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
