import type { TaskEither } from 'fp-ts/TaskEither';
import type { Caller } from './caller';
import type { Unavailable } from './failures';
import type { PetPage } from './pet-page';
import type { PetQuery } from './pet-query';
import type { PetRepository } from './pet-repository';

/** One page of the catalogue. */
export type ListPets = (query: PetQuery) => TaskEither<Unavailable, PetPage>;

export const listPets =
  (pets: PetRepository) =>
  (_caller: Caller): ListPets =>
  (query) =>
    pets.list(query);
