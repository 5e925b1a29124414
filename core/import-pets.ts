import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { ImportAborted, Unavailable } from './failures';
import type { NewPet } from './new-pet';
import type { PetRepository } from './pet-repository';

/**
 * Adds all animals of a source, or none of them, and answers with how many. ImportAborted: none is stored.
 * Unavailable: the store didn't confirm, so that either all are stored or none.
 */
export type ImportPets = (newPets: AsyncIterable<NewPet>) => TaskEither<ImportAborted | Unavailable, number>;

export const importPets =
  (pets: PetRepository) =>
  (_caller: Caller): ImportPets =>
  (newPets) =>
    pets.createAll(newPets);
