import { type NewPet, type ScopedIdempotencyKey } from '../../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';

export const newPets = (length: number): ReadonlyArray<NewPet> => Array.from({ length }, arbitraryNewPet);

export const keyed = (length: number): ReadonlyArray<readonly [NewPet, ScopedIdempotencyKey]> =>
  newPets(length).map((newPet) => [newPet, arbitraryScopedIdempotencyKey()]);
