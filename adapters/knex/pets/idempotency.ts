/*
 * Statements on the table `creation_keys`, in which create.ts finds the animal of a create that a client repeats with
 * the same idempotency key.
 */

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

const purgeIntervalMs = 1_000;

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

/**
 * Deletes exactly these rows. Compares the pet id too, because another instance may have written a new row for the same
 * idempotency key.
 */
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

// Only SQLite stores another value than an integer in the column. The row is not named, because logs show no keys.
const invalidPetId =
  "a row in table creation_keys has an invalid pet_id; run: delete from creation_keys where typeof(pet_id) <> 'integer'";

const toRecord = (found: Found | Error | undefined, expiresAt: number): IdempotencyRecord | Error => {
  if (found === undefined) return new Error(invalidPetId);
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
 * Locks the row of an idempotency key, so that the commit of a repeated create waits for PostgreSQL's synchronous
 * standby. PostgreSQL does not wait at the commit of a transaction that only reads. The standby may lack the row, if
 * the primary restarted before sending it. A failover would then lose an animal that a client believes stored.
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

const maxRowsPerPurge = 200;

const maxPurgeTimeShare = 0.1;

/**
 * Returns a function that deletes expired rows in the background, at most once a second; create.ts calls it after each
 * batch. A statement deletes few rows, because creates on SQLite wait for it. In a transaction of the embedding program
 * it does nothing, because a failed purge would abort that transaction.
 */
export const purgeExpiredKeys = ({ writes, petStatements }: Database, now: () => number): (() => void) => {
  let nextAt = 0;

  const purge = async (): Promise<void> => {
    for (;;) {
      const began = performance.now();
      if ((await petStatements.purgeExpired(writes, now(), maxRowsPerPurge)) < maxRowsPerPurge) return;
      await delay((performance.now() - began) * (1 / maxPurgeTimeShare - 1), undefined, { ref: false });
    }
  };

  return () => {
    if (performance.now() < nextAt || writes.isTransaction === true) return;
    nextAt = Infinity;
    void purge()
      .catch(constVoid)
      .finally(() => {
        nextAt = performance.now() + purgeIntervalMs;
      });
  };
};
