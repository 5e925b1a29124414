import type { TaskEither } from 'fp-ts/TaskEither';
import type { Deadline } from '../ports/deadline';
import type { Unavailable } from '../ports/failures';
import { defaultPageSize, type PageSize } from '../pets/page-size';
import type { PetPage } from '../pets/pet-page';
import type { PetQuery } from '../pets/pet-query';
import type { PetRepository } from '../ports/pet-repository';

/** A query that may leave the size of its page to the store, which takes 20. */
export interface ListPetsQuery extends Omit<PetQuery, 'limit'> {
  readonly limit?: PageSize | undefined;
}

/** One page of the catalogue. At the deadline it ends as Unavailable. */
export type ListPets = (query: ListPetsQuery, deadline?: Deadline) => TaskEither<Unavailable, PetPage>;

export const listPets =
  (pets: PetRepository): ListPets =>
  ({ limit = defaultPageSize, after, status }, deadline) =>
    pets.list({ limit, after, status }, deadline);
