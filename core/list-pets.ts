import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { Deadline } from './deadline';
import type { Unavailable } from './failures';
import type { PetPage } from './pet-page';
import type { PetQuery } from './pet-query';
import type { PetRepository } from './pet-repository';

/** One page of the catalogue. At the deadline it ends as Unavailable. */
export type ListPets = (query: PetQuery, deadline?: Deadline) => TaskEither<Unavailable, PetPage>;

export const listPets =
  (pets: PetRepository) =>
  (_caller: Caller): ListPets =>
  (query, deadline) =>
    pets.list(query, deadline);
