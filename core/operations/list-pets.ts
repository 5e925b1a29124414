import type { TaskEither } from 'fp-ts/TaskEither';
import { checked, checkedIfGiven } from '../codecs/checked';
import { record } from '../codecs/record';
import type { Deadline } from '../ports/deadline';
import type { Unavailable } from '../ports/failures';
import { defaultPageSize, PageSize } from '../pets/page-size';
import type { PetPage } from '../pets/pet-page';
import { PetId } from '../pets/pet-id';
import type { PetQuery } from '../pets/pet-query';
import { PetStatus } from '../pets/pet-status';
import type { PetRepository } from '../ports/pet-repository';

/** A query that may leave the size of its page to the store, which takes 20. */
export interface ListPetsQuery extends Omit<PetQuery, 'limit'> {
  readonly limit?: PageSize | undefined;
}

/** One page of the catalogue. At the deadline it ends as Unavailable. A query that no codec takes is a TypeError. */
export type ListPets = (query?: ListPetsQuery, deadline?: Deadline) => TaskEither<Unavailable, PetPage>;

/** Any object: each of its fields has a codec of its own. */
const QueryObject = record('PetQuery', {}, {});

export const listPets =
  (pets: PetRepository): ListPets =>
  (query = {}, deadline) => {
    checked(QueryObject, query);
    const { limit = defaultPageSize, after, status } = query;
    return pets.list(
      {
        limit: checked(PageSize, limit),
        after: checkedIfGiven(PetId, after),
        status: checkedIfGiven(PetStatus, status),
      } satisfies { readonly [K in keyof Required<PetQuery>]: PetQuery[K] },
      deadline,
    );
  };
