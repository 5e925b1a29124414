import type { TaskEither } from 'fp-ts/TaskEither';
import type { Deadline } from './deadline';
import type { PetNotFound, Unavailable } from './failures';
import type { Pet } from './pet';
import type { PetId } from './pet-id';

/** One animal by its id. At the deadline it ends as Unavailable. */
export type GetPet = (id: PetId, deadline?: Deadline) => TaskEither<PetNotFound | Unavailable, Pet>;
