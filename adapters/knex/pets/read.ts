import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import {
  compareById,
  countToFind,
  defaultPageSize,
  type Pet,
  petFilters,
  type PetNotFound,
  petNotFound,
  type PetPage,
  type PetQuery,
  type PetRepository,
  toPage,
} from '../../../core';
import { createBatcher, type OnBatch } from '../batcher';
import type { StoreDatabase, PageStart, Statements } from '../database/store-database';
import { tryOrError } from '../database/errors';
import { idOfRow, leastInt64, petFromRow, type PetRow } from '../database/pet-columns';
import { retryConflicts } from '../database/transactions';

const maxBatchSize = 400;

/** Maximum number of animals that one statement reads, which bounds its memory and its pause of the event loop. */
const maxPetsPerStatement = 5_000;

type Found = E.Either<PetNotFound, Pet>;

export const findPets = async (
  knex: Knex,
  { byIds }: Statements,
  ids: ReadonlyArray<bigint>,
): Promise<ReadonlyArray<Found | Error>> => {
  const rows = await byIds(knex, ids);
  const rowsById = new Map(rows.map((row) => [idOfRow(row), row]));
  return ids.map((id) => {
    const row = rowsById.get(id.toString());
    return row === undefined ? E.left(petNotFound(id)) : tryOrError((): Found => E.right(petFromRow(row)));
  });
};

export const readPets = (
  { reads, statements, concurrency }: StoreDatabase,
  timeoutMs: number,
  onBatch: OnBatch,
): PetRepository['find'] =>
  createBatcher({
    maxBatchSize,
    concurrency: concurrency.reads,
    timeoutMs,
    runBatch: (ids: ReadonlyArray<bigint>) => retryConflicts(() => findPets(reads, statements, ids)),
    onBatch,
  });

const greatestInt64 = 2n ** 63n - 1n;

const filtersOf = (query: PetQuery) => petFilters.filter((field) => query[field] !== undefined);

const batchKeyOf = (query: PetQuery): string => [query.limit, ...filtersOf(query)].join();

/** Returns equal texts only for equal queries of a batch. U+0000 separates the values, because none contains it. */
const identityOf = (query: PetQuery): string =>
  [query.after, ...filtersOf(query).map((field) => query[field])].join('\0');

const startOf = ({ limit: _limit, after, ...filters }: PetQuery): PageStart => ({
  from: after === undefined ? leastInt64 : after + 1n,
  filters,
});

type Page = E.Either<never, PetPage>;

const toPetPage = ({ limit }: PetQuery, rows: ReadonlyArray<PetRow>): Page | Error =>
  tryOrError(() => E.right(toPage(limit, rows.map(petFromRow).sort(compareById))));

/** Makes the function with which `list` of repository.ts reads a page. Equal queries of a batch share one page object. */
export const readPages = (
  { reads, statements, concurrency }: StoreDatabase,
  timeoutMs: number,
  onBatch: OnBatch,
): PetRepository['list'] => {
  const readBatch = async (
    queries: ReadonlyArray<PetQuery>,
  ): Promise<ReadonlyArray<Page | Error | undefined>> => {
    const distinct = [...new Map(queries.map((query) => [identityOf(query), query]))];
    const limit = countToFind(queries[0]?.limit ?? defaultPageSize);
    const pages = new Map<string, Page | Error>();
    for (const some of RA.chunksOf(Math.ceil(maxPetsPerStatement / limit))(distinct)) {
      const starts = some.map(([, query]) => startOf(query));
      const found = await retryConflicts(() => statements.pages(reads, starts, limit));
      for (const [[identity, query], rows] of RA.zip(some, found))
        pages.set(identity, toPetPage(query, rows));
    }
    return queries.map((query) => pages.get(identityOf(query)));
  };
  const read = createBatcher({
    maxBatchSize,
    concurrency: concurrency.reads,
    timeoutMs,
    batchKey: batchKeyOf,
    runBatch: readBatch,
    onBatch,
  });
  return (query, deadline) =>
    query.after === greatestInt64 ? TE.right({ pets: [], hasMore: false }) : read(query, deadline);
};
