import type { TaskEither } from 'fp-ts/TaskEither';
import { checked } from '../codecs/checked';
import type { Deadline } from '../ports/deadline';
import type { PetNotFound, Unavailable } from '../ports/failures';
import type { PetRepository } from '../ports/pet-repository';
import type { Pet } from '../pets/pet';
import { PetId } from '../pets/pet-id';

/** One animal by its id. At the deadline it ends as Unavailable. */
export type GetPet = (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;

export const getPet =
  (pets: PetRepository): GetPet =>
  (id, deadline) =>
    pets.find(checked(PetId, id), deadline);
