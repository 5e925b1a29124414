import * as E from 'fp-ts/Either';
import { identity, pipe } from 'fp-ts/function';
import * as NEA from 'fp-ts/NonEmptyArray';
import type { Knex } from 'knex';
import { countToFind, ordPetById, type PageSize, type PetPage, type PetQuery, toPage } from '../../../core';
import { toError } from '../database/database-error';
import { retryConflicts } from '../database/retry-conflicts';
import type { PageStart, PetStatements } from '../database/pet-statements';
import { petFromRow, type PetRow } from '../database/pet-columns';

const leastInt64 = -(2n ** 63n);
const greatestInt64 = 2n ** 63n - 1n;

const emptyPage: PetPage = { pets: [], hasMore: false };

const identityOf = ({ limit, after, status }: PetQuery): string => `${limit} ${after ?? ''} ${status ?? ''}`;

/** What the pages have in common that one statement reads. */
const kindOf = ({ limit, status }: PetQuery): string => `${limit} ${status === undefined ? 'any' : 'one'}`;

const startOf = ({ after, status }: PetQuery): PageStart => ({
  from: after === undefined ? leastInt64 : after + 1n,
  status,
});

/** A row that is no animal is the failure of those who ask for its page alone. */
const pageIn = (rows: ReadonlyArray<PetRow>, limit: PageSize): PetPage | Error =>
  pipe(
    E.tryCatch(() => rows.map(petFromRow).sort(ordPetById.compare), toError),
    E.matchW(identity, (pets) => toPage(limit, pets)),
  );

const readKind = async (
  knex: Knex,
  { pages }: PetStatements,
  queries: NEA.NonEmptyArray<PetQuery>,
): Promise<ReadonlyArray<readonly [string, PetPage | Error]>> => {
  const [{ limit }] = queries;
  const found = await retryConflicts(() => pages(knex, queries.map(startOf), countToFind(limit))).catch(
    toError,
  );
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
