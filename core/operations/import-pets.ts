import type { TaskEither } from 'fp-ts/TaskEither';
import type { ImportAborted, Unavailable } from '../ports/failures';
import { checked } from '../codecs/checked';
import { NewPet } from '../pets/new-pet';
import type { PetRepository } from '../ports/pet-repository';

/**
 * Adds all animals of a source, or none of them, and answers with how many. ImportAborted: none is stored.
 * Unavailable: the store didn't confirm, so that either all are stored or none. An animal that no codec takes aborts it.
 */
export type ImportPets = (newPets: AsyncIterable<NewPet>) => TaskEither<ImportAborted | Unavailable, number>;

async function* checkedPets(newPets: AsyncIterable<NewPet>): AsyncGenerator<NewPet> {
  for await (const newPet of newPets) yield NewPet.encode(checked(NewPet, newPet));
}

export const importPets =
  (pets: PetRepository): ImportPets =>
  (newPets) =>
    pets.createAll({ [Symbol.asyncIterator]: () => checkedPets(newPets) });
