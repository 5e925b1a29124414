import { NewPet, type Pet } from './pets';
import { type IdempotencyKeyReused, idempotencyKeyReused } from './ports';

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
