import * as E from 'fp-ts/Either';
import type { Unavailable } from './deadline';
import { largestPageSize, type PetPage, type PetQuery } from './pet-query';
import type { PetRepository } from './ports';

/**
 * Reads all pages of a list, with 100 animals each if the query gives no limit. Later pages may have animals that were
 * created during the walk. An Unavailable page ends the walk.
 */
export async function* walkPages(
  list: PetRepository['list'],
  query: Partial<PetQuery> = {},
): AsyncGenerator<E.Either<Unavailable, PetPage>> {
  const { limit = largestPageSize } = query;
  let { after } = query;
  do {
    const page = await list({ ...query, limit, after })();
    // Reads the id before the yield, since the consumer may sort or empty the array.
    after = E.isRight(page) && page.right.hasMore ? page.right.pets.at(-1)?.id : undefined;
    yield page;
  } while (after !== undefined);
}
