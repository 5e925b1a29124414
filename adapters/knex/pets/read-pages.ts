import {
  countToFind,
  ordPetById,
  type PageSize,
  petFilters,
  type PetPage,
  type PetQuery,
  toPage,
} from '../../../core';
import type { Database } from '../database/database';
import { orError } from '../database/database-error';
import { retryConflicts } from '../database/retry-conflicts';
import type { PageStart } from '../database/pet-statements';
import { petFromRow, type PetRow } from '../database/pet-columns';

const leastInt64 = -(2n ** 63n);
const greatestInt64 = 2n ** 63n - 1n;

const emptyPage: PetPage = { pets: [], hasMore: false };

/** U+0000 stands in no value: it is between them, and in the place of one that is not there. */
const identityOf = (query: PetQuery): string => {
  let text = `${query.limit} ${query.after ?? ''}`;
  for (const field of petFilters) text += `\0${query[field] ?? '\0'}`;
  return text;
};

/** What the pages have in common that one statement reads. */
export const kindOfPage = (query: PetQuery): string =>
  [query.limit, ...petFilters.filter((field) => query[field] !== undefined)].join();

const startOf = ({ limit: _limit, after, ...filters }: PetQuery): PageStart => ({
  from: after === undefined ? leastInt64 : after + 1n,
  filters,
});

/** A row that is no animal is the failure of those who ask for its page alone. */
const pageIn = (rows: ReadonlyArray<PetRow>, limit: PageSize): PetPage | Error =>
  orError(() => toPage(limit, rows.map(petFromRow).sort(ordPetById.compare)));

/** Reads pages of one kind in one statement, each distinct one once; all who asked for one get the same object. */
export const readPages =
  ({ reads, petStatements }: Database) =>
  async (queries: ReadonlyArray<PetQuery>): Promise<ReadonlyArray<PetPage | Error>> => {
    // Nothing follows the greatest id, and no database counts on from it.
    const answerable = queries.filter(({ after }) => after !== greatestInt64);
    const distinct = [...new Map(answerable.map((query) => [identityOf(query), query])).values()];
    const [first] = distinct;
    if (first === undefined) return queries.map(() => emptyPage);
    const found = await retryConflicts(() =>
      petStatements.pages(reads, distinct.map(startOf), countToFind(first.limit)),
    );
    const read = new Map(
      distinct.map((query, place) => [identityOf(query), pageIn(found[place] ?? [], query.limit)]),
    );
    return queries.map((query) => read.get(identityOf(query)) ?? emptyPage);
  };
