import type { TaskEither } from 'fp-ts/TaskEither';
import type { Deadline } from '../ports/deadline';
import type { PetNotFound, Unavailable } from '../ports/failures';
import type { Pet } from '../pets/pet';
import type { PetId } from '../pets/pet-id';

/** One animal by its id. At the deadline it ends as Unavailable. */
export type GetPet = (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
