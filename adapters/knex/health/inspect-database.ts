import * as E from 'fp-ts/Either';
import type * as TE from 'fp-ts/TaskEither';
import type { Unavailable } from '../../../core';
import { type ApiKeyRow, isValid } from '../api-keys/knex-authenticate';
import { eitherToTaskEither, errorWithCode, permanentError } from '../database/errors';
import type { Durability, InspectableDatabase, SessionTimeouts } from '../database/database';
import { petFromRow } from '../database/pet-columns';
import { rolledBack } from '../database/connections';
import { type MigrationFailed, tryMigrate } from '../migrations/migrate';
import { generationMismatch, readSchemaState, type SchemaState } from '../migrations/schema-state';
import { beat, readAnimals, tryCreate } from './readiness';

export interface DatabaseReport {
  readonly schema: SchemaState;
  readonly durability: Durability;
  readonly sessionTimeouts: SessionTimeouts | undefined;
  readonly validKeys: number;
  readonly newestKeyCreatedAtMs: number | undefined;
}

/** Twice the size to which SQLite truncates the write-ahead log. On a full disk, creates fail, and reads may too. */
const minDiskAvailable = 8 * 1024 * 1024;

const useAsService = async (database: InspectableDatabase, countsRequests: boolean): Promise<void> => {
  (await readAnimals(database, 100)).forEach(petFromRow);
  const grants = await database.missingGrants(countsRequests);
  if (grants.length > 0) throw permanentError(`this role lacks rights; run: ${grants.join('; ')}`);
  await tryCreate(database);
  await beat(database);
};

/** Checks that a service could migrate and use the database. Changes nothing but the time in the table `heartbeats`. */
export const inspectDatabase = (
  database: InspectableDatabase,
  {
    isThorough = false,
    countsRequests = false,
  }: { readonly isThorough?: boolean; readonly countsRequests?: boolean } = {},
): TE.TaskEither<MigrationFailed | Unavailable, DatabaseReport> =>
  eitherToTaskEither(async () => {
    const { reads, writes, durability, sessionTimeouts, sizes, findDamage, checkUsable } = database;
    const { diskAvailable = Infinity } = await sizes();
    if (diskAvailable < minDiskAvailable) {
      throw errorWithCode('ENOSPC', `ENOSPC: only ${diskAvailable} bytes are free`);
    }
    await checkUsable();
    const damage = await findDamage(isThorough);
    if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
    const schema = await readSchemaState(reads);
    if (schema.generation === 0) {
      const tried = await tryMigrate(database)();
      if (E.isLeft(tried)) return tried;
    } else if (schema.pending.length > 0) {
      await rolledBack(writes, (transaction) =>
        transaction.schema.createTable('animal_store_probe', (table) => table.integer('id')),
      );
    } else if (generationMismatch(schema) === undefined) await useAsService(database, countsRequests);
    const keys = schema.generation === 0 ? [] : await reads<ApiKeyRow>('api_keys').select('*');
    return E.right({
      schema,
      durability: await durability(),
      sessionTimeouts: await sessionTimeouts(),
      validKeys: keys.filter((key) => isValid(key, Date.now())).length,
      newestKeyCreatedAtMs: keys.reduce<number | undefined>(
        (newest = 0, { created_at }) => Math.max(newest, Date.parse(created_at)),
        undefined,
      ),
    });
  });
