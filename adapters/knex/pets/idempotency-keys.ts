import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import type { Knex } from 'knex';
import {
  type IdempotencyRecord,
  type ScopedIdempotencyKey,
  scopedIdempotencyKeyText,
  int64FromText,
} from '../../../core';
import { hasExpired } from '../database/clock';
import type { Connection, IdempotencyKeyRow, StoreDatabase } from '../database/store-database';
import { DiagnosedError } from '../database/errors';
import { findPets } from './read';

const purgeIntervalMs = 1_000;

const rowsOf = (knex: Knex, keys: ReadonlyArray<ScopedIdempotencyKey>) =>
  knex<IdempotencyKeyRow>('idempotency_keys').whereIn(
    ['owner_id', 'idempotency_key'],
    keys.map(({ ownerId, idempotencyKey }) => [ownerId, idempotencyKey]),
  );

export const deleteExpired = async (
  { knex, statements }: Connection,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
): Promise<void> => {
  await rowsOf(knex, keys).whereRaw(hasExpired(statements.nowSql)).delete();
};

const petIdOf = ({ pet_id }: IdempotencyKeyRow): bigint => {
  const id = int64FromText(pet_id);
  if (id !== undefined) return id;
  // Names no row, because logs must not contain idempotency keys. Only SQLite can store an invalid `pet_id`.
  throw new DiagnosedError(
    "a row in table idempotency_keys has an invalid pet_id; run: delete from idempotency_keys where typeof(pet_id) <> 'integer'",
  );
};

/** Reads the records of idempotency keys. The keys of the map are texts by `scopedIdempotencyKeyText`. */
export const findKeys = async (
  connection: Connection,
  keys: ReadonlyArray<ScopedIdempotencyKey>,
): Promise<ReadonlyMap<string, IdempotencyRecord>> => {
  const rows: ReadonlyArray<IdempotencyKeyRow> = await rowsOf(connection.knex, keys).select(
    'owner_id',
    'idempotency_key',
    'content_hash',
    connection.knex.raw('cast(pet_id as text) as pet_id'),
  );
  const pets = await findPets(connection, rows.map(petIdOf));
  return new Map(
    RA.zipWith(rows, pets, (row, outcome) => {
      if (E.isLeft(outcome) && outcome.left._tag === 'Unavailable') throw outcome.left.cause;
      const record: IdempotencyRecord = {
        fingerprint: row.content_hash,
        pet: E.isRight(outcome) ? outcome.right : undefined,
      };
      const key = { ownerId: row.owner_id, idempotencyKey: row.idempotency_key };
      return [scopedIdempotencyKeyText(key), record] as const;
    }),
  );
};

/**
 * Makes the commit of a replay wait for PostgreSQL's synchronous standby, by locking the row of an idempotency key.
 * Otherwise a failover could lose an animal that the replay has acknowledged. One row is enough for a transaction,
 * because the standby has all earlier commits once it has this one.
 */
export const waitForStandbyAtCommit = async (
  transaction: Knex,
  { ownerId, idempotencyKey }: ScopedIdempotencyKey,
): Promise<void> => {
  await transaction<IdempotencyKeyRow>('idempotency_keys')
    .where({ owner_id: ownerId, idempotency_key: idempotencyKey })
    .select('idempotency_key')
    .forShare();
};

const maxRowsPerPurge = 200;

/**
 * Returns a function that purges a few expired keys in the background. Purges take at most a tenth of the time, because
 * creates on SQLite wait for them. The function does nothing in a transaction of a host (a program that embeds the
 * store), which a failed statement would abort.
 */
export const backgroundPurge = ({ write, isHostTransaction, statements }: StoreDatabase): (() => void) => {
  let nextAt = 0;

  const purge = async (): Promise<void> => {
    const began = performance.now();
    nextAt = Infinity;
    const purged = await write((pool) => statements.purgeExpired(pool, maxRowsPerPurge)).catch(() => 0);
    const ended = performance.now();
    const pauseMs = purged < maxRowsPerPurge ? purgeIntervalMs : 0;
    nextAt = ended + Math.max(pauseMs, 9 * (ended - began));
  };

  return () => {
    if (performance.now() >= nextAt && !isHostTransaction) void purge();
  };
};
