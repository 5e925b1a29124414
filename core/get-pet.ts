import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { PetNotFound, Unavailable } from './failures';
import type { Pet } from './pet';
import type { PetId } from './pet-id';
import type { PetRepository } from './pet-repository';

/** One animal by its id. */
export type GetPet = (id: PetId) => TaskEither<PetNotFound | Unavailable, Pet>;

export const getPet =
  (pets: PetRepository) =>
  (_caller: Caller): GetPet =>
  (id) =>
    pets.find(id);
