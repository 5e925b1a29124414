import type * as E from 'fp-ts/Either';
import type { CreatedPet, ScopedIdempotencyKey, IdempotencyKeyReused, NewPet } from '../../../core';

/** An animal that somebody wants created, perhaps under an idempotency key. */
export interface Creation {
  readonly newPet: NewPet;
  readonly key: ScopedIdempotencyKey | undefined;
}

export type CreationResult = E.Either<IdempotencyKeyReused, CreatedPet>;

export const newPetOf = ({ newPet }: Creation): NewPet => newPet;

export const keysOf = (creations: ReadonlyArray<Creation>): ReadonlyArray<ScopedIdempotencyKey> =>
  creations.flatMap(({ key }) => (key === undefined ? [] : [key]));
