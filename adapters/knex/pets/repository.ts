import { idempotencyTtlMs as defaultTtlMs, type PetRepository } from '../../../core';
import type { StoreDatabase } from '../database/store-database';
import type { RepositoryObserver } from './batched-statement';
import { deletePets, updatePet } from './corrections';
import { createPet } from './create';
import { findPet } from './find';
import { importPets } from './import';
import { listPets } from './list';

interface Options {
  /** Clock in milliseconds since 1970, for the expiry of idempotency keys. */
  readonly now?: () => number;
  /** Lifetime of an idempotency key, by default 24 hours. */
  readonly idempotencyTtlMs?: number;
  readonly observer?: RepositoryObserver | undefined;
}

/**
 * Makes a repository on a SQL database. Concurrent requests share queries and commits. A list, find or create fails
 * with Unavailable after 4 s, or before its query begins if its deadline is too near.
 */
export const knexPetRepository = (
  database: StoreDatabase,
  { now = Date.now, idempotencyTtlMs = defaultTtlMs, observer }: Options = {},
): PetRepository => ({
  list: listPets(database, observer),
  find: findPet(database, observer),
  create: createPet(database, { now, ttlMs: idempotencyTtlMs }, observer),
  update: updatePet(database),
  deleteAll: deletePets(database),
  importAll: importPets(database),
});
