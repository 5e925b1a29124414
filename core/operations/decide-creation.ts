import { type IdempotencyKeyReused, idempotencyKeyReused } from '../ports/failures';
import { NewPet } from '../pets/new-pet';
import type { Pet } from '../pets/pet';

/** How long a repository keeps what was made under an idempotency key: 24 hours, in milliseconds. */
export const idempotencyTtlMs = 24 * 60 * 60 * 1000;

/** What a repository keeps of a creation under an idempotency key. */
export interface KeptCreation {
  /** The animal that it made; undefined when that is gone from the store. */
  readonly pet: Pet | undefined;
  /** In milliseconds, by the clock that `decideCreation` is asked with. */
  readonly keptUntil: number;
}

/** What a repository does with a creation that comes under an idempotency key. */
export type CreationDecision =
  /** It adds the animal, and keeps it under the key, instead of what is kept there, until then. */
  | { readonly _tag: 'Create'; readonly keptUntil: number }
  /** It answers with the animal that is there. */
  | { readonly _tag: 'Replay'; readonly pet: Pet }
  | IdempotencyKeyReused;

/**
 * The rule of idempotency keys: within 24 hours the same creation under one makes one animal, and another is refused.
 * A key is free again when its time is over, or when its animal is gone.
 */
export const decideCreation = (
  kept: KeptCreation | undefined,
  newPet: NewPet,
  now: number,
): CreationDecision => {
  if (kept?.pet === undefined || kept.keptUntil <= now) {
    return { _tag: 'Create', keptUntil: now + idempotencyTtlMs };
  }
  return NewPet.eq.equals(kept.pet, newPet) ? { _tag: 'Replay', pet: kept.pet } : idempotencyKeyReused;
};
