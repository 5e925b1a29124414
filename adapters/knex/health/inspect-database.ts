import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import type { Unavailable } from '../../../core';
import { type ApiKeyRow, isValid } from '../api-keys/stored-key';
import { eitherToTaskEither, errorWithCode } from '../database/errors';
import type { InspectableDatabase, DatabaseSizes, Durability, Limits } from '../database/database';
import { petFromRow } from '../database/pet-columns';
import { rolledBack } from '../database/transactions';
import { type MigrationFailed, tryMigrate } from '../migrations/migrate';
import { generationMismatch, readSchemaState, type SchemaState } from '../migrations/schema-state';
import { beat, readAnimals, tryCreate } from './readiness';

export interface InspectOptions {
  readonly isThorough?: boolean;
  readonly countsRequests?: boolean;
}

export interface DatabaseReport {
  readonly schema: SchemaState;
  readonly durability: Durability;
  readonly limits: Limits | undefined;
  readonly sizes: DatabaseSizes;
  readonly validKeys: number;
  /** Creation time of the newest key, in milliseconds since 1970; 0 without keys. */
  readonly newestKey: number;
}

/** Twice the size to which the write-ahead log shrinks. On a full disk, creates fail, and reads may fail too. */
const minDiskAvailable = 8 * 1024 * 1024;

const expectRoom = ({ diskAvailable = Infinity }: DatabaseSizes): void => {
  if (diskAvailable >= minDiskAvailable) return;
  throw errorWithCode('ENOSPC', `ENOSPC: only ${diskAvailable} bytes are free on its disk`);
};

/** Tolerates that the table or columns are missing before a migration. */
const readKeys = async (reads: Knex, isComplete: boolean): Promise<ReadonlyArray<ApiKeyRow>> => {
  if (!isComplete && !(await reads.schema.hasTable('api_keys'))) return [];
  const rows = await reads<ApiKeyRow>('api_keys').select('*');
  return rows.map((row) => ({ ...row, expires_at: row.expires_at ?? null }));
};

const expectGrants = async (
  { missingGrants }: InspectableDatabase,
  countsRequests: boolean,
): Promise<void> => {
  const grants = await missingGrants(countsRequests);
  if (grants.length > 0) throw errorWithCode('42501', `this role lacks privileges: ${grants.join('; ')}`);
};

const useAsService = async (database: InspectableDatabase, countsRequests: boolean): Promise<void> => {
  (await readAnimals(database, 100)).forEach(petFromRow);
  await expectGrants(database, countsRequests);
  await tryCreate(database);
  await beat(database);
};

/**
 * Checks that a service could migrate and use the database. The heartbeat is the only data that it changes.
 */
export const inspectDatabase = (
  database: InspectableDatabase,
  { isThorough = false, countsRequests = false }: InspectOptions = {},
): TE.TaskEither<MigrationFailed | Unavailable, DatabaseReport> =>
  eitherToTaskEither(async () => {
    const { reads, writes, durability, limits, findDamage, checkUsable } = database;
    const sizes = await database.sizes();
    expectRoom(sizes);
    await checkUsable();
    const damage = await findDamage(isThorough);
    if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
    const schema = await readSchemaState(reads);
    const isComplete = schema.pending.length === 0;
    if (schema.generation === 0) {
      const tried = await tryMigrate(database)();
      if (E.isLeft(tried)) return tried;
    } else if (!isComplete) {
      await rolledBack(writes, (transaction) =>
        transaction.schema.createTable('animal_store_probe', (table) => table.integer('id')),
      );
    } else if (generationMismatch(schema) === undefined) await useAsService(database, countsRequests);
    const keys = await readKeys(reads, isComplete);
    return E.right({
      schema,
      durability: await durability(),
      limits: await limits(),
      sizes,
      validKeys: keys.filter((key) => isValid(key, Date.now())).length,
      newestKey: keys.reduce((newest, { created_at }) => Math.max(newest, Date.parse(created_at)), 0),
    });
  });
