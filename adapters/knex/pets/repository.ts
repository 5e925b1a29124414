import * as E from 'fp-ts/Either';
import { idempotencyKeyInFlight, type PetRepository, scopedIdempotencyKeyText } from '../../../core';
import type { OnBatch } from '../batcher';
import { toTaskEither, eitherToTaskEither } from '../database/errors';
import type { Database } from '../database/database';
import { createPets } from './create';
import { importPets } from './import';
import { readPages, readPets } from './read';
import { serverTimeouts } from '../../../core/timeouts';

/** Observer of a repository, for metrics. It must not throw. It does not see `importAll`. */
export interface RepositoryObserver {
  /** Called when a batch has succeeded or failed, with its size and duration. A batch of `create` ends with its commit. */
  readonly batch: (operation: 'list' | 'find' | 'create', size: number, milliseconds: number) => void;
}

interface Options {
  /** Time in milliseconds since 1970, for the expiry of idempotency keys. By default a monotonic clock. */
  readonly now?: () => number;
  readonly observer?: RepositoryObserver | undefined;
}

/** Makes a repository on a SQL database. Concurrent requests share queries and commits. */
export const knexPetRepository = (
  database: Database,
  { now = () => performance.timeOrigin + performance.now(), observer }: Options = {},
): PetRepository => {
  const onBatch = (operation: Parameters<RepositoryObserver['batch']>[0]): OnBatch | undefined =>
    observer &&
    ((size, milliseconds) => {
      observer.batch(operation, size, milliseconds);
    });
  const list = readPages(database, serverTimeouts.responseMs, onBatch('list'));
  const find = readPets(database, serverTimeouts.responseMs, onBatch('find'));
  // The time columns hold whole milliseconds.
  const create = createPets(database, () => Math.round(now()), serverTimeouts.responseMs, onBatch('create'));
  const inFlight = new Set<string>();

  return {
    list: (query, deadline, owner) => toTaskEither(() => list({ query, owner }, deadline)),
    find: (id, deadline) => eitherToTaskEither(() => find(id, deadline)),
    create: (newPet, key, deadline) => {
      const created = eitherToTaskEither(() => create({ newPet, key }, deadline));
      if (key === undefined) return created;
      const name = scopedIdempotencyKeyText(key);
      return async () => {
        if (inFlight.has(name)) return E.left(idempotencyKeyInFlight);
        inFlight.add(name);
        return created().finally(() => inFlight.delete(name));
      };
    },
    importAll: importPets(database),
  };
};
