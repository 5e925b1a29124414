import type { Knex } from 'knex';
import { inTransaction } from '../database/work';
import { checkEncoding, sessionTimeouts, setTimeouts } from './server-settings';

/** Resets the search path for a transaction, because another client of a pooler may have changed it in this session. */
export const resetSearchPath =
  "select set_config('search_path', reset_val, true) from pg_settings where name = 'search_path';";

/**
 * Key of the advisory lock, 'anml' in ASCII. PostgreSQL separates advisory locks by database, so migrations of two
 * databases don't wait for each other.
 */
const lockKey = 0x616e6d6c;

const lockTimeoutMs = 2_000;

/**
 * Runs work in a transaction that holds the migration lock. The lock belongs to the transaction, so it works behind
 * PgBouncer, and a killed process releases it. PostgreSQL ends a transaction that is idle for 10 s, so that a process
 * that hangs does not keep the lock. Rejects after a wait of 2 s for this lock or for a table, because statements of
 * running services queue behind a waiting migration.
 */
export const withMigrationLock = <A>(
  pool: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  prelude = '',
): Promise<A> =>
  inTransaction(pool, async (transaction) => {
    await transaction.raw(
      `${prelude}
       ${setTimeouts({ ...sessionTimeouts(0), lock_timeout: lockTimeoutMs }, 'transaction')};
       select pg_advisory_xact_lock(${lockKey})`,
    );
    await checkEncoding(transaction);
    return work(transaction);
  });
