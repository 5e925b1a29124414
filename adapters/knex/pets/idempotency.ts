import * as E from 'fp-ts/Either';
import { constVoid } from 'fp-ts/function';
import * as RA from 'fp-ts/ReadonlyArray';
import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type ScopedIdempotencyKey,
  scopedIdempotencyKeyText,
  inDecimal,
  type IdempotencyRecord,
  PetId,
} from '../../../core';
import type { Database, PetStatements } from '../database/database';
import { findPets, type Found } from './read';
import { databaseTimeouts } from '../../../core/timeouts';

interface RecordRow {
  readonly owner_id: string;
  readonly idempotency_key: string;
  readonly pet_id: string;
  readonly expires_at: string | number;
}

const recordsOf = (knex: Knex, keys: ReadonlyArray<ScopedIdempotencyKey>) =>
  knex<RecordRow>('creation_keys').whereIn(
    ['owner_id', 'idempotency_key'],
    keys.map(({ ownerId, idempotencyKey }) => [ownerId, idempotencyKey]),
  );

export const deleteExpired = async (
  transaction: Knex,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
  now: number,
): Promise<void> => {
  await recordsOf(transaction, keys).where('expires_at', '<=', now).delete();
};

/** Compares the pet id too, because another instance may have written a new record for the key since. */
export const deleteRecords = async (transaction: Knex, rows: ReadonlyArray<RecordRow>): Promise<void> => {
  if (rows.length === 0) return;
  await transaction<RecordRow>('creation_keys')
    .where((any) => {
      for (const { owner_id, idempotency_key, pet_id } of rows)
        void any.orWhere({ owner_id, idempotency_key, pet_id });
    })
    .delete();
};

const petIdOf = ({ pet_id }: RecordRow): PetId | undefined => {
  const decoded = inDecimal(PetId).decode(pet_id);
  return E.isRight(decoded) ? decoded.right : undefined;
};

const toRecord = (found: Found | Error | undefined, expiresAt: number): IdempotencyRecord | Error => {
  if (found === undefined)
    return new Error('a row in table creation_keys has an invalid pet_id; delete the row');
  if (found instanceof Error) return found;
  return { pet: E.isRight(found) ? found.right : undefined, expiresAt };
};

export const findRecords = async (
  transaction: Knex,
  petStatements: PetStatements,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
) => {
  const rows: ReadonlyArray<RecordRow> = await recordsOf(transaction, keys).select(
    'owner_id',
    'idempotency_key',
    'expires_at',
    transaction.raw('cast(pet_id as text) as pet_id'),
  );
  const known = rows.map((row) => ({ row, id: petIdOf(row) }));
  const ids = known.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const found = new Map(RA.zip(ids, await findPets(transaction, petStatements, ids)));
  return new Map(
    known.map(({ row, id }) => [
      scopedIdempotencyKeyText({ ownerId: row.owner_id, idempotencyKey: row.idempotency_key }),
      { row, record: toRecord(id === undefined ? undefined : found.get(id), Number(row.expires_at)) },
    ]),
  );
};

/**
 * Locks a record, so that the commit of a repeated create waits for PostgreSQL's synchronous standby. The commit of a
 * transaction that only reads would not wait. Without the wait, the answer could acknowledge a record that the standby
 * lacks, because the primary restarted before it had sent the record.
 */
export const lockRecord = async (
  transaction: Knex,
  { owner_id, idempotency_key }: RecordRow,
): Promise<void> => {
  await transaction<RecordRow>('creation_keys')
    .where({ owner_id, idempotency_key })
    .select('idempotency_key')
    .forShare();
};

/** Maximum records that one statement deletes. On SQLite, which has one writer, creates wait for that statement. */
const maxPurged = 200;

const maxPurgeTimeShare = 0.1;

export const purgeExpiredKeys = ({ writes, petStatements }: Database, now: () => number): (() => void) => {
  let lastTime = -Infinity;
  let isRunning = false;

  const purge = async (): Promise<void> => {
    for (;;) {
      const began = performance.now();
      if ((await petStatements.purgeExpired(writes, now(), maxPurged)) < maxPurged) return;
      await delay((performance.now() - began) * (1 / maxPurgeTimeShare - 1), undefined, { ref: false });
    }
  };

  return () => {
    const time = now();
    // In a transaction of the embedding program, a failed purge would abort the program's own statements.
    if (isRunning || writes.isTransaction === true) return;
    // A clock that was set back by a year must not stop the purge for a year.
    if (time >= lastTime && time < lastTime + databaseTimeouts.purgeIntervalMs) return;
    lastTime = time;
    isRunning = true;
    void purge()
      .catch(constVoid)
      .finally(() => {
        isRunning = false;
      });
  };
};
