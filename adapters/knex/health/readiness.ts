import * as E from 'fp-ts/Either';
import type { Task } from 'fp-ts/Task';
import type { TaskEither } from 'fp-ts/TaskEither';
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
} from '../../../core';
import { databaseTimeouts } from '../../../core/timeouts';
import type { Database } from '../database/database';
import { toTaskEither } from '../database/errors';
import { idOfRow, newPetCells, type PetRow } from '../database/pet-columns';
import { rolledBack } from '../database/connections';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';

const maxPageBytes = 1_000_000;

const leastId = -(2n ** 63n);

const eachFilter: ReadonlyArray<PetFilters> = [
  {},
  ...petFilters.map((field) => ({ [field]: newPetFields[field].example })),
];

/**
 * An animal without optional fields, so that the trial insert writes NULLs: a changed schema most likely rejects those.
 */
const trialPet = decodeOrThrow(NewPet, { name: 'trial', categoryId: 1 });

export const readAnimals = async (
  { reads, petStatements }: Database,
  limit: number,
): Promise<ReadonlyArray<PetRow>> => {
  const rows = await petStatements.page(reads, { from: leastId, filters: {} }, limit);
  for (const filters of eachFilter) {
    const start = { from: leastId, filters };
    await petStatements.page(reads, start, limit);
    await petStatements.pages(reads, [start], limit, maxPageBytes);
  }
  await petStatements.byIds(reads, [leastId, ...rows.map((row) => BigInt(idOfRow(row)))]);
  return rows;
};

/** Tries the reads and writes of a create with an idempotency key, its retry and the purge, and rolls them back. */
export const tryCreate = ({ writes, petStatements }: Database): Promise<void> =>
  rolledBack(writes, async (transaction) => {
    const [row = []] = await petStatements.tryInsert(transaction, trialPet);
    if (!isDeepStrictEqual(row.slice(1), newPetCells(trialPet)))
      throw new Error('the database changes an animal when it stores it');
    // A random key, so that instances do not wait for each other.
    const key = { owner_id: 'trial', idempotency_key: randomBytes(16).toString('hex') };
    const pet_id = decodeOrThrow(PetId, BigInt(idOfRow(row)));
    await petStatements.insertRecords(transaction, [{ ...key, pet_id, expires_at: 0 }]);
    await transaction('creation_keys').where(key).select('idempotency_key').forShare();
    await transaction('creation_keys').where(key).delete();
  });

export const beat = async ({ writes }: Database): Promise<void> => {
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
  if (E.isLeft(read)) return "animals can't be read from the database";
  if (E.isLeft(written)) return "the database can't be written to";
  return E.isLeft(created) ? "animals can't be added to the database" : undefined;
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
