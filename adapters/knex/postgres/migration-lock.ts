import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import { retryConflicts } from '../database/retry-conflicts';

/** How long to wait for another process, in milliseconds: longer than the server leaves one its lock that hangs. */
const timeoutMs = 30_000;

/** In milliseconds. */
const pollMs = 50;

/** The lock is a row that stands in a table for as long as the database does. */
const makeLock = async (pool: Knex): Promise<void> => {
  await pool.raw('create table if not exists setup_lock (id integer primary key)');
  await pool('setup_lock').insert({ id: 1 }).onConflict('id').ignore();
};

/** Asks again and again: one statement that waits would be taken for one that hangs. */
const takeLock = async (transaction: Knex.Transaction): Promise<void> => {
  const until = performance.now() + timeoutMs;
  while ((await transaction('setup_lock').where({ id: 1 }).forUpdate().skipLocked()).length === 0) {
    if (performance.now() > until) throw new Error('another process does not end its migration');
    await delay(pollMs);
  }
};

/** Runs set-up work in a transaction, one process at a time, by SQL that distributed engines take as well. */
export const withMigrationLock =
  (pool: Knex) =>
  async <A>(work: (transaction: Knex.Transaction) => Promise<A>): Promise<A> => {
    await retryConflicts(() => makeLock(pool));
    return pool.transaction(async (transaction) => {
      await takeLock(transaction);
      return work(transaction);
    });
  };
