import type { PageSize } from './page-size';
import type { Pet } from './pet';

/** Animals by ascending id, and whether more of them follow the last. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>;
  readonly hasMore: boolean;
}

/** How many animals to look for, so that `toPage` can tell whether more follow: one more than the page holds. */
export const countToFind = (limit: PageSize): number => limit + 1;

/**
 * The page of the animals that were found, by ascending ids: `countToFind` of them, or all that there are. It is frozen
 * with its animals, so that callers may share it.
 */
export const toPage = (limit: PageSize, found: ReadonlyArray<Pet>): PetPage =>
  Object.freeze({
    pets: Object.freeze(found.slice(0, limit).map((pet) => Object.freeze(pet))),
    hasMore: found.length > limit,
  });
