import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import type { ApiKeyRow } from '../api-keys/api-key-rows';
import { attempt } from '../database/attempt';
import type { Database } from '../database/database';
import type { Durability } from '../database/durability';
import { findPending } from '../migrations/migrate';

/** What an operator may want to know of a database before anything runs on it. */
export interface DatabaseReport {
  /** The names of the migrations that it lacks. */
  readonly pending: ReadonlyArray<string>;
  readonly durability: Durability;
  readonly validKeys: number;
  /** When the newest key was made, in milliseconds since 1970; 0 without one. */
  readonly newestKey: number;
}

const tryWriting = async (writes: Knex, isMigrated: boolean): Promise<void> => {
  const transaction = await writes.transaction();
  try {
    if (isMigrated) await transaction('heartbeats').insert({ id: 0, beaten_at: 0 });
    else await transaction.schema.createTable('animal_store_probe', (table) => table.integer('id'));
  } finally {
    await transaction.rollback();
  }
};

const inspect = async ({ reads, writes, durability }: Database): Promise<DatabaseReport> => {
  const pending = await findPending(reads);
  await tryWriting(writes, pending.length === 0);
  const keys = pending.length > 0 ? [] : await reads<ApiKeyRow>('api_keys').select('*');
  return {
    pending,
    durability: await durability(),
    validKeys: keys.filter(({ revoked_at }) => revoked_at === null).length,
    newestKey: Math.max(0, ...keys.map(({ created_at }) => Date.parse(created_at))),
  };
};

/** Reads what is there; writes as the service would, and takes it back. */
export const inspectDatabase = (database: Database): TE.TaskEither<Unavailable, DatabaseReport> =>
  attempt(() => inspect(database));
