import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import { type ApiKeyRow, isValid } from '../api-keys/api-key-rows';
import { attempt } from '../database/attempt';
import type { DatabaseAsFound } from '../database/database-as-found';
import type { Durability } from '../database/durability';
import type { Limits } from '../database/limits';
import { petFromRow } from '../database/pet-columns';
import { findPending } from '../migrations/migrate';
import { readAnimals } from './read-animals';

/** What an operator may want to know of a database before anything runs on it. */
export interface DatabaseReport {
  /** The names of the migrations that it lacks. */
  readonly pending: ReadonlyArray<string>;
  readonly durability: Durability;
  readonly limits: Limits | undefined;
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

const inspect = async (database: DatabaseAsFound): Promise<DatabaseReport> => {
  const { reads, writes, durability, limits, findDamage } = database;
  const damage = await findDamage();
  if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
  const pending = await findPending(reads);
  if (pending.length === 0) (await readAnimals(database, 100)).forEach(petFromRow);
  await tryWriting(writes, pending.length === 0);
  const keys = pending.length > 0 ? [] : await reads<ApiKeyRow>('api_keys').select('*');
  return {
    pending,
    durability: await durability(),
    validKeys: keys.filter((key) => isValid(key, Date.now())).length,
    limits: await limits(),
    newestKey: keys.reduce((newest, { created_at }) => Math.max(newest, Date.parse(created_at)), 0),
  };
};

/** Reads what is there; writes as the service would, and takes it back. */
export const inspectDatabase = (database: DatabaseAsFound): TE.TaskEither<Unavailable, DatabaseReport> =>
  attempt(() => inspect(database));
