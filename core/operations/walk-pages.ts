import * as E from 'fp-ts/Either';
import { constUndefined } from 'fp-ts/function';
import type { Unavailable } from '../ports/failures';
import { largestPageSize } from '../pets/page-size';
import type { PetId } from '../pets/pet-id';
import type { PetPage } from '../pets/pet-page';
import type { PetQuery } from '../pets/pet-query';
import type { PetRepository } from '../ports/pet-repository';

/** After which animal the next page begins; undefined where none follows. */
const nextAfter: (page: E.Either<Unavailable, PetPage>) => PetId | undefined = E.match(
  constUndefined,
  ({ pets, hasMore }) => (hasMore ? pets.at(-1)?.id : undefined),
);

/**
 * Reads page after page until no more follow, 100 animals a page if the query doesn't say otherwise. What is created
 * meanwhile may be on a later page. Unavailable comes last: there the walk ends.
 */
export async function* walkPages(
  list: PetRepository['list'],
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  const { limit = largestPageSize } = query;
  let { after } = query;
  do {
    const page = await list({ ...query, limit, after })();
    // Before anybody else has the page, and may sort or empty it.
    after = nextAfter(page);
    yield page;
  } while (after !== undefined);
}
