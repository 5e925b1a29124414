import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type * as TE from 'fp-ts/TaskEither';
import {
  decodeOrThrow,
  NewPet,
  newPetFields,
  petFilters,
  type PetFilters,
  PetId,
  type Unavailable,
} from '../../../core';
import { toTaskEither } from '../database/errors';
import type { Database } from '../database/database';
import { idOfRow, newPetCells, type PetRow } from '../database/pet-columns';
import { rolledBack } from '../database/transactions';

const maxPageBytes = 1_000_000;

const leastId = -(2n ** 63n);

const eachFilter: ReadonlyArray<PetFilters> = [
  {},
  ...petFilters.map((field) => ({ [field]: newPetFields[field].example })),
];

/** Has no optional fields, since a database is most likely to reject a null. */
const trialPet = decodeOrThrow(NewPet, { name: 'trial', categoryId: 1 });

/** Runs each kind of read statement, and returns the first animals unparsed. */
export const readAnimals = async (
  { reads, petStatements }: Pick<Database, 'reads' | 'petStatements'>,
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

/**
 * Runs the statements of a create with an idempotency key, of its retry and of the purge, and rolls them back. Rejects
 * with the error of the database.
 */
export const tryCreate = ({ writes, petStatements }: Pick<Database, 'writes' | 'petStatements'>) =>
  rolledBack(writes, async (transaction) => {
    const [row = []] = await petStatements.tryInsert(transaction, trialPet);
    if (!isDeepStrictEqual(row.slice(1), newPetCells(trialPet)))
      throw new Error('the database changes an animal when it stores it');
    // Uses a random key, so that instances do not wait for each other.
    const key = { owner_id: 'trial', idempotency_key: randomBytes(16).toString('hex') };
    const pet_id = decodeOrThrow(PetId, BigInt(idOfRow(row)));
    await petStatements.insertRecords(transaction, [{ ...key, pet_id, expires_at: 0 }]);
    await transaction('creation_keys').where(key).select('idempotency_key').forShare();
    await transaction('creation_keys').where(key).delete();
  });

export const beat = async ({ writes }: Pick<Database, 'writes'>): Promise<void> => {
  await writes('heartbeats').insert({ id: 1, beaten_at: Date.now() }).onConflict('id').merge();
};

/** Returns the time of the last heartbeat as a string, since PostgreSQL returns a bigint as a string. */
export const readHeartbeat = ({
  reads,
}: Pick<Database, 'reads'>): TE.TaskEither<Unavailable, string | undefined> =>
  toTaskEither(async () => {
    const row = await reads('heartbeats')
      .where({ id: 1 })
      .first<{ beaten_at: number | string } | undefined>();
    return row && String(row.beaten_at);
  });

export const tryWriting = (database: Database): TE.TaskEither<Unavailable, void> =>
  toTaskEither(async () => {
    await tryCreate(database);
    await beat(database);
  });
