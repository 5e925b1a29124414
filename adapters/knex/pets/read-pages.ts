import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import type { Knex } from 'knex';
import { petFilters, type PetPage, type PetQuery } from '../../../core';
import { toError } from '../database/database-error';
import { retryConflicts } from '../database/retry-conflicts';
import type { PageStart, PetStatements } from '../database/pet-statements';
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
const kindOf = (query: PetQuery): string =>
  [query.limit, ...petFilters.filter((field) => query[field] !== undefined)].join();

const startOf = ({ limit: _limit, after, ...filters }: PetQuery): PageStart => ({
  from: after === undefined ? leastInt64 : after + 1n,
  filters,
});

/** A row that is no animal is the failure of those who ask for its page alone. */
const pageIn = (rows: ReadonlyArray<PetRow>, limit: number): PetPage | Error =>
  pipe(
    E.tryCatch(() => rows.map(petFromRow).sort((one, other) => (one.id < other.id ? -1 : 1)), toError),
    E.matchW(identity, (pets) => ({ pets: pets.slice(0, limit), hasMore: pets.length > limit })),
  );

const readKind = async (
  knex: Knex,
  { pages }: PetStatements,
  queries: NEA.NonEmptyArray<PetQuery>,
): Promise<ReadonlyArray<readonly [string, PetPage | Error]>> => {
  const [{ limit }] = queries;
  const found = await retryConflicts(() => pages(knex, queries.map(startOf), limit + 1)).catch(toError);
  return queries.map((query, place) => [
    identityOf(query),
    found instanceof Error ? found : pageIn(found[place] ?? [], limit),
  ]);
};

/** Reads each distinct page once, and those of a kind in one statement; all who asked for one get the same object. */
export const readPages = async (
  knex: Knex,
  petStatements: PetStatements,
  queries: ReadonlyArray<PetQuery>,
): Promise<ReadonlyArray<PetPage | Error>> => {
  // Nothing follows the greatest id, and no database counts on from it.
  const answerable = queries.filter(({ after }) => after !== greatestInt64);
  const distinct = new Map(answerable.map((query) => [identityOf(query), query]));
  const kinds = Object.values(NEA.groupBy(kindOf)([...distinct.values()]));
  const pages = new Map((await Promise.all(kinds.map((kind) => readKind(knex, petStatements, kind)))).flat());
  return queries.map((query) => pages.get(identityOf(query)) ?? emptyPage);
};
