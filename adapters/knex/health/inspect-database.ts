import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import type { ApiKeyRow } from '../api-keys/api-key-rows';
import { attempt } from '../database/attempt';
import type { DatabaseAsFound } from '../database/database-as-found';
import type { Durability } from '../database/durability';
import { petFromRow } from '../database/pet-columns';
import { readSchemaState, type SchemaState } from '../migrations/schema-state';

/** What an operator may want to know of a database before anything runs on it. */
export interface DatabaseReport {
  readonly schema: SchemaState;
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

const leastId = -(2n ** 63n);

/** Reads a page, and what is on it by its ids, as clients do. */
const readAnimals = async ({ reads, petStatements }: DatabaseAsFound): Promise<void> => {
  const [page = []] = await petStatements.pages(reads, [{ from: leastId, status: undefined }], 100);
  await petStatements.byIds(
    reads,
    page.map(petFromRow).map(({ id }) => id),
  );
};

const inspect = async (database: DatabaseAsFound, isThorough: boolean): Promise<DatabaseReport> => {
  const { reads, writes, durability, findDamage, checkUsable } = database;
  await checkUsable();
  const damage = await findDamage(isThorough);
  if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
  const schema = await readSchemaState(reads);
  const isComplete = schema.pending.length === 0;
  if (isComplete) await readAnimals(database);
  await tryWriting(writes, isComplete);
  const keys = !isComplete ? [] : await reads<ApiKeyRow>('api_keys').select('*');
  return {
    schema,
    durability: await durability(),
    validKeys: keys.filter(({ revoked_at }) => revoked_at === null).length,
    newestKey: keys.reduce((newest, { created_at }) => Math.max(newest, Date.parse(created_at)), 0),
  };
};

/** Reads what is there, in a thorough look the indexes as well; writes as the service would, and takes it back. */
export const inspectDatabase = (
  database: DatabaseAsFound,
  isThorough = false,
): TE.TaskEither<Unavailable, DatabaseReport> => attempt(() => inspect(database, isThorough));
