import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import {
  compareById,
  countToFind,
  type Deadline,
  type OwnerId,
  type PageSize,
  type Pet,
  petFilters,
  type PetId,
  type PetNotFound,
  petNotFound,
  type PetPage,
  type PetQuery,
  toPage,
} from '../../../core';
import { createBatcher, type OnBatch } from '../batcher';
import type { Database, PageStart, PetStatements } from '../database/database';
import { tryOrError } from '../database/errors';
import { idOfRow, leastInt64, petFromRow, type PetRow } from '../database/pet-columns';
import { retryConflicts } from '../database/connections';

const maxBatchSize = 400;

export type Found = E.Either<PetNotFound, Pet>;

export const findPets = async (
  knex: Knex,
  { byIds }: PetStatements,
  ids: ReadonlyArray<PetId>,
): Promise<ReadonlyArray<Found | Error>> => {
  const rows = await byIds(knex, ids);
  const rowsById = new Map(rows.map((row) => [idOfRow(row), row]));
  return ids.map((id) => {
    const row = rowsById.get(id.toString());
    return row === undefined ? E.left(petNotFound(id)) : tryOrError((): Found => E.right(petFromRow(row)));
  });
};

export const readPets = (
  { reads, petStatements, concurrency }: Database,
  timeoutMs: number,
  onBatch: OnBatch | undefined,
): ((id: PetId, deadline?: Deadline) => Promise<Found>) =>
  createBatcher({
    maxBatchSize,
    concurrency: concurrency.reads,
    timeoutMs,
    runBatch: (ids: ReadonlyArray<PetId>) => retryConflicts(() => findPets(reads, petStatements, ids)),
    onBatch,
  });

const greatestInt64 = 2n ** 63n - 1n;

/**
 * Maximum bytes of text in a page that shares a statement with other pages. A statement for 400 pages then returns less
 * than 30 MB.
 */
const maxSharedPageBytes = 65_536;

/**
 * Returns equal texts only for equal queries. The text separates values with U+0000, which no value contains, and also
 * marks a missing value with it.
 */
const identityOf = (query: PetQuery): string => {
  let text = `${query.limit} ${query.after ?? ''}`;
  for (const field of petFilters) text += `\0${query[field] ?? '\0'}`;
  return text;
};

const batchKeyOf = (query: PetQuery): string =>
  [query.limit, ...petFilters.filter((field) => query[field] !== undefined)].join();

const startOf = ({ limit: _limit, after, ...filters }: PetQuery): PageStart => ({
  from: after === undefined ? leastInt64 : after + 1n,
  filters,
});

const toPetPage = (rows: ReadonlyArray<PetRow>, limit: PageSize): PetPage | Error =>
  tryOrError(() => toPage(limit, rows.map(petFromRow).sort(compareById)));

const tooLarge = { _tag: 'TooLarge' } as const;

const readSmallPages = async (
  { reads, petStatements }: Database,
  queries: ReadonlyArray<PetQuery>,
  limit: PageSize,
): Promise<ReadonlyMap<string, PetPage | Error>> => {
  const found = await retryConflicts(() =>
    petStatements.pages(reads, queries.map(startOf), countToFind(limit), maxSharedPageBytes),
  );
  const pages = new Map<string, PetPage | Error>();
  for (const [place, query] of queries.entries()) {
    const rows = found[place];
    if (rows !== undefined) pages.set(identityOf(query), toPetPage(rows, limit));
  }
  return pages;
};

interface PageRequest {
  readonly query: PetQuery;
  readonly owner: OwnerId | undefined;
}

/**
 * Makes the function with which `list` of repository.ts reads a page. Equal queries share one page object, and small
 * pages share a statement. A large page (a name may have 64 kB) has its own statement, to bound memory and pauses of
 * the event loop. Clients take turns in running statements.
 */
export const readPages = (
  database: Database,
  timeoutMs: number,
  onBatch: OnBatch | undefined,
): ((request: PageRequest, deadline?: Deadline) => Promise<PetPage>) => {
  const { reads, petStatements, concurrency } = database;
  const readEqual = async (requests: ReadonlyArray<PageRequest>): Promise<ReadonlyArray<PetPage | Error>> => {
    const [first] = requests;
    if (first === undefined) return [];
    const { query } = first;
    const rows = await retryConflicts(() =>
      petStatements.page(reads, startOf(query), countToFind(query.limit)),
    );
    const page = toPetPage(rows, query.limit);
    return requests.map(() => page);
  };
  const options = {
    maxBatchSize,
    timeoutMs,
    shareKey: ({ owner }: PageRequest) => owner ?? '',
    onBatch,
  };
  const together = createBatcher({
    ...options,
    concurrency: concurrency.reads,
    batchKey: ({ query }: PageRequest) => batchKeyOf(query),
    runBatch: async (requests: ReadonlyArray<PageRequest>) => {
      const queries = requests.map(({ query }) => query);
      const distinct = [...new Map(queries.map((query) => [identityOf(query), query])).values()];
      const [first, ...others] = distinct;
      if (first === undefined || others.length === 0) return readEqual(requests);
      const pages = await readSmallPages(database, distinct, first.limit);
      return queries.map((query) => pages.get(identityOf(query)) ?? tooLarge);
    },
  });
  const alone = createBatcher({
    ...options,
    concurrency: 1,
    batchKey: ({ query }: PageRequest) => identityOf(query),
    runBatch: readEqual,
  });
  return async (request, deadline = performance.now() + timeoutMs) => {
    if (request.query.after === greatestInt64) return { pets: [], hasMore: false };
    const page = await together(request, deadline);
    return '_tag' in page ? alone(request, deadline) : page;
  };
};
