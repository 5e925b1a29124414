import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { Deadline } from './deadline';
import type { PetNotFound, Unavailable } from './failures';
import type { Pet } from './pet';
import type { PetId } from './pet-id';
import type { PetRepository } from './pet-repository';

/** One animal by its id. At the deadline it ends as Unavailable. */
export type GetPet = (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;

export const getPet =
  (pets: PetRepository) =>
  (_caller: Caller): GetPet =>
  (id, deadline) =>
    pets.find(id, deadline);
