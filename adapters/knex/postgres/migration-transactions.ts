/* Transactions in which migrations run. */

import type { Knex } from 'knex';
import { databaseTimeouts } from '../database/timeouts';
import { inTransaction, tryAndRollBack } from '../database/work';
import { resetSearchPath } from './schema';
import { checkEncoding, setTimeouts } from './server-settings';

/**
 * Key of the advisory lock, 'anml' in ASCII. PostgreSQL separates advisory locks by database, so migrations of two
 * databases don't wait for each other.
 */
const advisoryLockKey = 0x616e6d6c;

/**
 * Runs work in a transaction that holds the lock of the store. The lock belongs to the transaction, so it works behind
 * PgBouncer, and a killed process releases it. Rejects after a wait of `migrationLockMs` for this lock or for a table.
 */
export const withStoreLock = <A>(
  pool: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  prelude = '',
): Promise<A> =>
  inTransaction(pool, async (transaction) => {
    await transaction.raw(
      `${prelude}
       ${setTimeouts({ statementMs: 0, lockMs: databaseTimeouts.migrationLockMs }, 'transaction')};
       select pg_advisory_xact_lock(${advisoryLockKey})`,
    );
    await checkEncoding(transaction);
    return work(transaction);
  });

/** Runs a migration and rolls it back. Its statements have little time, because they may block a running service. */
export const runTrial = (
  pool: Knex,
  migration: (transaction: Knex.Transaction) => Promise<void>,
): Promise<void> =>
  tryAndRollBack(pool, async (transaction) => {
    const limits = { statementMs: databaseTimeouts.trialMs, lockMs: databaseTimeouts.trialMs };
    await transaction.raw(`${resetSearchPath} ${setTimeouts(limits, 'transaction')}`);
    await migration(transaction);
  });
