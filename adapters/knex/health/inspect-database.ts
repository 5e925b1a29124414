import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import { type ApiKeyRow, isValid } from '../api-keys/api-key-rows';
import { attempt } from '../database/attempt';
import type { DatabaseAsFound, Durability, Limits } from '../database/database';
import { petFromRow } from '../database/pet-columns';
import { readSchemaState, type SchemaState } from '../migrations/schema-state';
import { readAnimals } from './read-animals';

/** What an operator may want to know of a database before anything runs on it. */
export interface DatabaseReport {
  readonly schema: SchemaState;
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

/** Those of a database that is to be migrated too, which may have fewer columns. */
const readKeys = async (reads: Knex, isComplete: boolean): Promise<ReadonlyArray<ApiKeyRow>> => {
  if (!isComplete && !(await reads.schema.hasTable('api_keys'))) return [];
  const rows = await reads<ApiKeyRow>('api_keys').select('*');
  return rows.map((row) => ({ ...row, expires_at: row.expires_at ?? null }));
};

/** Reads what is there, in a thorough look the indexes as well; writes as the service would, and takes it back. */
export const inspectDatabase = (
  database: DatabaseAsFound,
  isThorough = false,
): TE.TaskEither<Unavailable, DatabaseReport> =>
  attempt(async () => {
    const { reads, writes, durability, limits, findDamage, checkUsable } = database;
    await checkUsable();
    const damage = await findDamage(isThorough);
    if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
    const schema = await readSchemaState(reads);
    const isComplete = schema.pending.length === 0;
    if (isComplete) (await readAnimals(database, 100)).forEach(petFromRow);
    await tryWriting(writes, isComplete);
    const keys = await readKeys(reads, isComplete);
    return {
      schema,
      durability: await durability(),
      validKeys: keys.filter((key) => isValid(key, Date.now())).length,
      limits: await limits(),
      newestKey: keys.reduce((newest, { created_at }) => Math.max(newest, Date.parse(created_at)), 0),
    };
  });
