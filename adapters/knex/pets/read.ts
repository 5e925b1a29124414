import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import * as TE from 'fp-ts/TaskEither';
import {
  compareIn,
  countToFind,
  defaultPageSize,
  greatestInt64,
  isInt64,
  leastInt64,
  type Pet,
  petFilterNames,
  type PetNotFound,
  petNotFound,
  type PetPage,
  type PetQuery,
  type PetRepository,
  toPage,
  type Unavailable,
  validPetQuery,
} from '../../../core';
import { createBatcher, type OnBatch, type RunBatch, tooBusy } from '../batcher';
import { filterCells, idOfRow, petFromRow, type PetRow } from '../database/pet-columns';
import type { Connection, PageStart, StoreDatabase } from '../database/store-database';
import { toEither } from '../database/errors';
import { throwIfLate } from '../database/transactions';

/**
 * Makes the port `list`. A list with two filters has no index and may read most of a large table. Such lists run one at
 * a time, so that they can't delay others.
 */
export const makeList = (database: StoreDatabase, onBatch: OnBatch): PetRepository['list'] => {
  const runBatch = (queries: ReadonlyArray<PetQuery>, batchDeadline: number) =>
    readPages(database, queries, batchDeadline);
  const list = createBatcher({ maxBatches: database.maxBatches.reads, groupOf, runBatch, onBatch });
  const scan = createBatcher({
    maxBatches: 1,
    groupOf: (query: PetQuery) => [groupOf(query), queryText(query)].join('\0'),
    runBatch: oneAtATime(runBatch),
    onBatch,
  });
  return (argument, deadline) => {
    const checked = validPetQuery(argument);
    if (E.isLeft(checked)) return TE.fromEither(checked);
    const query = checked.right;
    if (hasNoIdsLeft(query)) return TE.right({ pets: [], hasMore: false });
    return filterNamesOf(query).length > 1 ? scan(query, deadline) : list(query, deadline);
  };
};

/**
 * Wraps `runBatch` so that it fails at once while another batch runs. `maxBatches: 1` is not enough, because the
 * statement of a batch that has timed out may still be running.
 */
export const oneAtATime = <I, F, A>(runBatch: RunBatch<I, F, A>): RunBatch<I, F, A> => {
  let isRunning = false;
  return async (inputs, batchDeadline) => {
    if (isRunning) throw new Error(tooBusy);
    isRunning = true;
    try {
      return await runBatch(inputs, batchDeadline);
    } finally {
      isRunning = false;
    }
  };
};

const filterNamesOf = (query: PetQuery) => petFilterNames.filter((field) => query[field] !== undefined);

const groupOf = (query: PetQuery): string => [query.limit, query.order, ...filterNamesOf(query)].join();

/**
 * Returns a text that identifies a query among those with the same `groupOf`. Separates the values by U+0000, which no
 * value contains.
 */
const queryText = (query: PetQuery): string =>
  [query.after, ...filterNamesOf(query).map((field) => query[field])].join('\0');

/** Maximum number of animals that one statement reads, so that their rows don't block the event loop for long. */
const maxPetsPerStatement = 5_000;

type Page = E.Either<Unavailable, PetPage>;

/**
 * Reads a page for each query of a batch with the same limit, order and filter fields. Equal queries share a page
 * object, so that `jsonOf` in adapters/http/operations/list-pets.ts writes it only once.
 */
const readPages = async (
  { readPool, statements }: StoreDatabase,
  queries: ReadonlyArray<PetQuery>,
  batchDeadline: number,
): Promise<ReadonlyArray<Page | undefined>> => {
  const texts = queries.map(queryText);
  const distinct = [...new Map(RA.zip(texts, queries))];
  const limit = countToFind(queries[0]?.limit ?? defaultPageSize);
  const pages = new Map<string, Page>();
  for (const chunk of RA.chunksOf(Math.ceil(maxPetsPerStatement / limit))(distinct)) {
    throwIfLate(batchDeadline);
    const starts = chunk.map(([, query]) => startOf(query));
    const rowsOfPages = await statements.pages(readPool, starts, limit);
    for (const [[text, query], rows] of RA.zip(chunk, rowsOfPages)) pages.set(text, toPetPage(query, rows));
  }
  return texts.map((text) => pages.get(text));
};

// Sorts the animals, because SQL returns the rows of a page in any order.
const toPetPage = ({ limit, order }: PetQuery, rows: ReadonlyArray<PetRow>): Page =>
  toEither(() => toPage(limit, rows.map(petFromRow).sort(compareIn(order))));

const directions = {
  asc: { first: leastInt64, last: greatestInt64, step: 1n },
  desc: { first: greatestInt64, last: leastInt64, step: -1n },
} as const;

const startOf = ({ limit: _limit, after, order = 'asc', ...filters }: PetQuery): PageStart => {
  const { first, step } = directions[order];
  return { from: after === undefined ? first : after + step, order, filters: filterCells(filters) };
};

const hasNoIdsLeft = ({ after, order = 'asc' }: PetQuery): boolean => after === directions[order].last;

export const makeFind = (
  { readPool, statements, maxBatches }: StoreDatabase,
  onBatch: OnBatch,
): PetRepository['find'] =>
  createBatcher({
    maxBatches: maxBatches.reads,
    runBatch: (ids: ReadonlyArray<bigint>) => findPets({ knex: readPool, statements }, ids),
    onBatch,
  });

type Found = E.Either<PetNotFound | Unavailable, Pet>;

/**
 * Finds animals in one statement. Returns a result for each id, in order. The result of an invalid row is Unavailable.
 */
export const findPets = async (
  { knex, statements }: Connection,
  ids: ReadonlyArray<bigint>,
): Promise<ReadonlyArray<Found>> => {
  const rows = await statements.byIds(knex, ids.filter(isInt64));
  const rowsById = new Map(rows.map((row) => [idOfRow(row), row]));
  return ids.map((id) => {
    const row = rowsById.get(id.toString());
    return row === undefined ? E.left(petNotFound(id)) : toEither(() => petFromRow(row));
  });
};
