import * as E from 'fp-ts/Either';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Unavailable } from '../ports/failures';
import { largestPageSize } from '../pets/page-size';
import type { PetPage } from '../pets/pet-page';
import type { PetQuery } from '../pets/pet-query';

type List = (query: PetQuery) => TaskEither<Unavailable, PetPage>;

/**
 * Reads page after page until no more follow, 100 animals a page if the query doesn't say otherwise. What is created
 * meanwhile may be on a later page. Unavailable comes last: there the walk ends.
 */
export async function* walkPages(
  list: List,
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  let { after } = query;
  for (let hasMore = true; hasMore;) {
    const page = await list({ limit: largestPageSize, ...query, after })();
    yield page;
    if (E.isLeft(page)) return;
    after = page.right.pets.at(-1)?.id;
    // A page that holds nothing leads nowhere.
    hasMore = page.right.hasMore && after !== undefined;
  }
}
