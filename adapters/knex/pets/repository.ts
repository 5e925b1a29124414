import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import { hash } from 'node:crypto';
import {
  contentOf,
  idempotencyKeyInFlight,
  idempotencyTtlMs as defaultTtlMs,
  type PetQuery,
  type PetRepository,
  scopedIdempotencyKeyText,
} from '../../../core';
import { createBatcher } from '../batcher';
import type { StoreDatabase } from '../database/store-database';
import { deletePets, updatePet } from './corrections';
import { type Create, createTogether } from './create';
import { purgeExpiredKeys } from './idempotency-keys';
import { importPets } from './import';
import { batchKeyOf, findPets, hasNoIdsLeft, readPages } from './read';

/**
 * Observer of a repository's lists, finds and creates, for metrics. `batch` gets the size and the duration of each
 * batch that has succeeded or failed, and must not throw. A batch of `create` ends with its commit.
 */
export interface RepositoryObserver {
  readonly batch: (operation: 'list' | 'find' | 'create', size: number, milliseconds: number) => void;
}

interface Options {
  /** Clock in milliseconds since 1970, for the expiry of idempotency keys. */
  readonly now?: () => number;
  /** Lifetime of an idempotency key, by default 24 hours. */
  readonly idempotencyTtlMs?: number;
  readonly observer?: RepositoryObserver | undefined;
}

/**
 * Makes a repository on a SQL database. Concurrent requests share queries and commits. A list, find or create fails
 * with Unavailable if its batch takes more than 4 s, or can't begin early enough before the deadline.
 */
export const knexPetRepository = (
  database: StoreDatabase,
  { now = Date.now, idempotencyTtlMs = defaultTtlMs, observer }: Options = {},
): PetRepository => {
  const { reads, statements, concurrency } = database;
  const batchedList = createBatcher({
    concurrency: concurrency.reads,
    batchKey: batchKeyOf,
    runBatch: (queries: ReadonlyArray<PetQuery>) => readPages(database, queries),
    onBatch: (...batch) => observer?.batch('list', ...batch),
  });
  const batchedFind = createBatcher({
    concurrency: concurrency.reads,
    runBatch: (ids: ReadonlyArray<bigint>) => findPets(reads, statements, ids),
    onBatch: (...batch) => observer?.batch('find', ...batch),
  });
  const purge = purgeExpiredKeys(database, now);
  const batchedCreate = createBatcher({
    concurrency: concurrency.writes,
    runBatch: (creates: ReadonlyArray<Create>) => {
      const time = now();
      return createTogether(database, creates, time, time + idempotencyTtlMs).finally(purge);
    },
    separatesRejected: true,
    onBatch: (...batch) => observer?.batch('create', ...batch),
  });
  const inFlight = new Set<string>();
  return {
    list: (query, deadline) =>
      hasNoIdsLeft(query) ? TE.right({ pets: [], hasMore: false }) : batchedList(query, deadline),
    find: batchedFind,
    create: (newPet, key, deadline) => {
      if (key === undefined) return batchedCreate({ newPet, key }, deadline);
      const text = scopedIdempotencyKeyText(key);
      const contentHash = hash('sha256', contentOf(newPet));
      return async () => {
        if (inFlight.has(text)) return E.left(idempotencyKeyInFlight);
        inFlight.add(text);
        return batchedCreate({ newPet, key: { ...key, text, contentHash } }, deadline)().finally(() =>
          inFlight.delete(text),
        );
      };
    },
    update: updatePet(database),
    deleteAll: deletePets(database),
    importAll: importPets(database),
  };
};
