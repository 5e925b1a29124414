/*
 * Health checks of a database. app/doctor/doctor.ts calls `inspectDatabase`, and app/doctor/ports.ts `readHeartbeat`.
 * app/backend/backend.ts calls `knexReadiness`, `databaseStatus` and `tryWriting`.
 */

import * as E from 'fp-ts/Either';
import type { Task } from 'fp-ts/Task';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  decodeOrThrow,
  defaultPageSize,
  endAtDeadline,
  NewPet,
  newPetFields,
  petFilters,
  type PetFilters,
  PetId,
  type Unavailable,
} from '../../core';
import { databaseTimeouts } from './timeouts';
import { apiKeyStore } from './api-keys/api-key-store';
import { tryAndRollBack } from './database/connections';
import type {
  Database,
  DatabaseSizes,
  Durability,
  InspectableDatabase,
  GrantOptions,
  SessionTimeouts,
} from './database/database';
import { eitherToTaskEither, errorWithCode, permanentError, toTaskEither } from './database/errors';
import { idOfRow, leastInt64, newPetCells, petFromRow, type PetRow } from './database/pet-columns';
import { type MigrationFailed, tryMigrate } from './migrations/migrate';
import { generationMismatch, migrations, readSchemaState, type SchemaState } from './migrations/migrations';

const eachFilter: ReadonlyArray<PetFilters> = [
  {},
  ...petFilters.map((field) => ({ [field]: newPetFields[field].example })),
];

const petWithNulls = decodeOrThrow(NewPet, { name: 'trial', categoryId: 1 });

const readAnimals = async (
  { reads, petStatements }: Database,
  limit: number,
): Promise<ReadonlyArray<PetRow>> => {
  const [rows = []] = await petStatements.pages(reads, [{ from: leastInt64, filters: {} }], limit);
  for (const filters of eachFilter) {
    const start = { from: leastInt64, filters };
    await petStatements.pages(reads, [start], limit);
    await petStatements.pages(reads, [start, start], limit);
  }
  await petStatements.byIds(reads, [leastInt64, ...rows.map((row) => BigInt(idOfRow(row)))]);
  return rows;
};

const tryCreate = ({ writes, petStatements }: Database): Promise<void> =>
  tryAndRollBack(writes, async (transaction) => {
    const [row = []] = await petStatements.tryInsert(transaction, petWithNulls);
    if (!isDeepStrictEqual(row.slice(1), newPetCells(petWithNulls))) {
      throw permanentError(
        'a test animal came back from the database with other values; remove triggers and column changes from table pets',
      );
    }
    // Random, because an insert with the same idempotency key would wait until the trial of another instance is rolled
    // back.
    const key = { owner_id: 'trial', idempotency_key: randomBytes(16).toString('hex') };
    const pet_id = decodeOrThrow(PetId, BigInt(idOfRow(row)));
    await petStatements.insertRecords(transaction, [{ ...key, pet_id, expires_at: 0 }]);
    await transaction('creation_keys').where(key).select('idempotency_key').forShare();
    await transaction('creation_keys').where(key).delete();
  });

const beat = async ({ writes }: Database): Promise<void> => {
  await writes('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge();
};

export const readHeartbeat = ({ reads }: Database): TaskEither<Unavailable, string | undefined> =>
  toTaskEither(async () => {
    const row = await reads('heartbeats')
      .where({ id: 1 })
      .first<{ beaten_at: number | string } | undefined>();
    return row && String(row.beaten_at);
  });

export const tryWriting = (database: Database): TaskEither<Unavailable, void> =>
  toTaskEither(async () => {
    await tryCreate(database);
    await beat(database);
  });

const checkReadiness = async (database: Database): Promise<string | undefined> => {
  const deadline = performance.now() + databaseTimeouts.readinessMs;
  const inTime = <A>(work: () => Promise<A>) => endAtDeadline(toTaskEither(work), deadline)();
  const [schema, read, created, written] = await Promise.all([
    inTime(() => readSchemaState(database.reads)),
    inTime(() => readAnimals(database, defaultPageSize)),
    inTime(() => tryCreate(database)),
    inTime(() => beat(database)),
  ]);
  if (E.isLeft(schema)) return 'the database does not answer';
  if (generationMismatch(schema.right) !== undefined) {
    return 'the database schema belongs to an incompatible version; run `animal-store doctor`';
  }
  if (schema.right.pending.length > 0) return 'the database lacks migrations; run `animal-store migrate`';
  if (E.isLeft(read)) return "animals can't be read from the database; run `animal-store doctor`";
  if (E.isLeft(written)) return 'a write to the table heartbeats fails; run `animal-store doctor`';
  return E.isLeft(created) ? 'adding a test animal fails; run `animal-store doctor`' : undefined;
};

export const knexReadiness = (database: Database): Task<string | undefined> => {
  let checkedAt = -databaseTimeouts.readinessCacheMs;
  let answer: Promise<string | undefined> = Promise.resolve(undefined);
  return () => {
    const now = performance.now();
    if (now - checkedAt >= databaseTimeouts.readinessCacheMs) {
      checkedAt = now;
      answer = checkReadiness(database);
    }
    return answer;
  };
};

export interface DatabaseReport {
  readonly schema: SchemaState;
  readonly durability: Durability;
  readonly sessionTimeouts: SessionTimeouts | undefined;
  readonly validKeys: number;
  readonly newestKeyCreatedAtMs: number | undefined;
}

/**
 * Twice the size to which SQLite truncates the write-ahead log. On a full disk, creates fail, and reads may fail too.
 */
const minFreeDiskBytes = 8 * 1024 * 1024;

const useAsService = async (database: Database): Promise<void> => {
  (await readAnimals(database, 100)).forEach(petFromRow);
  await tryCreate(database);
  await beat(database);
};

/**
 * Checks that a service could migrate and use the database. Rolls back all trial writes except the time in the table
 * `heartbeats`.
 */
export const inspectDatabase = (
  database: InspectableDatabase,
  {
    isThorough = false,
    countsRequests = false,
    createsFirstKey = false,
  }: Partial<GrantOptions> & { readonly isThorough?: boolean } = {},
): TaskEither<MigrationFailed | Unavailable, DatabaseReport> =>
  eitherToTaskEither(async () => {
    const { reads, writes, durability, sessionTimeouts, sizes, findDamage, checkUsable, missingGrants } =
      database;
    const { diskAvailable = Infinity } = await sizes();
    if (diskAvailable < minFreeDiskBytes) {
      throw errorWithCode('ENOSPC', `ENOSPC: only ${diskAvailable} bytes are free`);
    }
    await checkUsable();
    const damage = await findDamage(isThorough);
    if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
    const grants = await missingGrants({ countsRequests, createsFirstKey });
    if (grants.length > 0) throw permanentError(`this role lacks rights; run: ${grants.join(' ')}`);
    const schema = await readSchemaState(reads);
    if (schema.generation === 0) {
      const tried = await tryMigrate(database)();
      if (E.isLeft(tried)) return tried;
    } else if (schema.pending.length > 0) {
      await tryAndRollBack(writes, (transaction) =>
        transaction.schema.createTable('animal_store_probe', (table) => table.integer('id')),
      );
    } else if (generationMismatch(schema) === undefined) await useAsService(database);
    const keys = schema.generation === 0 ? E.right([]) : await apiKeyStore(database).list();
    if (E.isLeft(keys)) return keys;
    const newest = keys.right.at(-1);
    return E.right({
      schema,
      durability: await durability(),
      sessionTimeouts: await sessionTimeouts(),
      validKeys: keys.right.filter(({ isValid }) => isValid).length,
      newestKeyCreatedAtMs: newest && Date.parse(newest.createdAt),
    });
  });

export interface DatabaseStatus extends DatabaseSizes {
  readonly validKeys: number;
  readonly endingOwners: ReadonlyArray<{ readonly owner: string; readonly ends: string }>;
  readonly appliedMigrations: number;
  readonly pendingMigrations: number;
}

const maxEndingOwners = 100;

const readKeyStatus = async (reads: Knex): Promise<Pick<DatabaseStatus, 'validKeys' | 'endingOwners'>> => {
  const validKeys = reads('api_keys')
    .whereNull('revoked_at')
    .whereRaw('(expires_at is null or expires_at > ?)', [new Date().toISOString()]);
  const [{ count }, endingOwners] = await Promise.all([
    validKeys.clone().count({ count: '*' }).first<{ count: number | string }>(),
    validKeys
      .clone()
      .groupBy('owner_id')
      .havingRaw('count(*) = count(expires_at)')
      .orderByRaw('max(expires_at)')
      .limit(maxEndingOwners)
      .select<DatabaseStatus['endingOwners']>('owner_id as owner', reads.raw('max(expires_at) as ends')),
  ]);
  return { validKeys: Number(count), endingOwners };
};

export const databaseStatus = ({ reads, sizes }: Database): TaskEither<Unavailable, DatabaseStatus> =>
  toTaskEither(async () => {
    const [{ pending }, keys, taken] = await Promise.all([
      readSchemaState(reads),
      readKeyStatus(reads),
      sizes(),
    ]);
    return {
      ...keys,
      ...taken,
      appliedMigrations: Object.keys(migrations).length - pending.length,
      pendingMigrations: pending.length,
    };
  });
