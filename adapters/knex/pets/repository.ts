import { idempotencyTtlMs as defaultTtlMs, type PetMaintenance, type PetRepository } from '../../../core';
import type { Operator } from '../record-change';
import type { StoreDatabase } from '../database/store-database';
import { makeDeleteByIds, makeUpdate } from './corrections';
import { makeCreate } from './create';
import { makeImportAll } from './import';
import { makeFind, makeList } from './read';

/** Operations whose batches are reported to the observer. */
export const batchOperations = ['list', 'find', 'create'] as const;

type BatchOperation = (typeof batchOperations)[number];

/** Observer of the batches of lists, finds and creates, for metrics. A batch of creates ends with its commit. */
export interface RepositoryObserver {
  readonly batch: (operation: BatchOperation, size: number, milliseconds: number) => void;
}

interface Options {
  /** Lifetime of an idempotency key by the clock of the database, by default 24 hours. */
  readonly idempotencyTtlMs?: number;
  readonly observer?: RepositoryObserver | undefined;
}

/**
 * Makes a repository on a SQL database. Concurrent requests share queries and commits. A list, find or create fails
 * with Unavailable if its batch takes more than 4 s, or too little time is left before the deadline.
 */
export const knexPetRepository = (
  database: StoreDatabase,
  { idempotencyTtlMs = defaultTtlMs, observer }: Options = {},
): PetRepository => {
  const onBatch = (operation: BatchOperation) => (size: number, milliseconds: number) =>
    observer?.batch(operation, size, milliseconds);
  return {
    list: makeList(database, onBatch('list')),
    find: makeFind(database, onBatch('find')),
    create: makeCreate(database, idempotencyTtlMs, onBatch('create')),
  };
};

/**
 * Makes the port for operators on a SQL database. The change log records `operator` as the author of updates, deletes
 * and imports.
 */
export const knexPetMaintenance = (database: StoreDatabase, operator?: Operator): PetMaintenance => ({
  update: makeUpdate(database, operator),
  deleteByIds: makeDeleteByIds(database, operator),
  importAll: makeImportAll(database, operator),
});
