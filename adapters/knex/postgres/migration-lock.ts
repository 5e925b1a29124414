import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import { longestWaitMs } from '../database/retry-locked';
import { retryConflicts } from '../database/retry-conflicts';

/** In milliseconds. */
const pollMs = 100;

/**
 * A statement may take as long as it needs. One that waits for a lock has all later ones wait behind it, so that it is
 * soon given up and tried again; and a migrator that hangs loses its locks.
 */
const limits = [
  'set local statement_timeout = 0',
  "set local lock_timeout = '2s'",
  "set local idle_in_transaction_session_timeout = '10s'",
];

const begin = <A>(pool: Knex, work: (transaction: Knex.Transaction) => Promise<A>): Promise<A> =>
  pool.transaction(async (transaction) => {
    for (const limit of limits) await transaction.raw(limit);
    return work(transaction);
  });

/** Asks first: who may use a schema may not make one, though it is there. */
const makeSchema = async (transaction: Knex, schema: string): Promise<void> => {
  const found: unknown = await transaction('pg_namespace').where({ nspname: schema }).first('oid');
  if (found === undefined) await transaction.raw('create schema if not exists ??', [schema]);
};

/** The lock is a row that stands in a table for as long as the database does. */
const makeLock = async (transaction: Knex): Promise<void> => {
  await transaction.raw('create table if not exists setup_lock (id integer primary key)');
  await transaction('setup_lock').insert({ id: 1 }).onConflict('id').ignore();
};

/** Asks again and again: the server takes the lock from one that hangs. */
const takeLock = async (transaction: Knex.Transaction): Promise<void> => {
  const until = performance.now() + longestWaitMs;
  while ((await transaction('setup_lock').where({ id: 1 }).forUpdate().skipLocked()).length === 0) {
    if (performance.now() > until) throw new Error('another process does not end its migration');
    await delay(pollMs);
  }
};

/** Runs set-up work in a transaction, one process at a time, by SQL that distributed engines take as well. */
export const withMigrationLock =
  (withPool: <B>(use: (pool: Knex) => Promise<B>) => Promise<B>, schema?: string) =>
  <A>(work: (transaction: Knex.Transaction) => Promise<A>): Promise<A> =>
    withPool(async (pool) => {
      await retryConflicts(() =>
        begin(pool, async (transaction) => {
          if (schema !== undefined) await makeSchema(transaction, schema);
          await makeLock(transaction);
        }),
      );
      return begin(pool, async (transaction) => {
        await takeLock(transaction);
        return work(transaction);
      });
    });
