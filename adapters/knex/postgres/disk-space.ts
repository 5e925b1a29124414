import type { Knex } from 'knex';
import { isKind } from '../database/errors';
import type { PostgresDatabase } from '../database/opened-database';
import { databaseTimeouts } from '../database/timeouts';
import { inTransaction } from '../database/work';

const isDiskFull = isKind('DiskFull');

/**
 * Statements that write a temporary file of 0.7 MB next to the tables. A heartbeat does not show that the disk is full,
 * because its update succeeds while the page of the row has space.
 */
const fillTemporaryFile = `set local work_mem = '64kB'; set local temp_tablespaces = '';
  select count(*) from generate_series(1, 50000)`;

/** Makes the check of the server's disk space. Listens for statements of the pool that fail for lack of space. */
export const spaceCheck = (pool: Knex): PostgresDatabase['checkSpace'] => {
  let lacksSpace = false;
  let triedAt = -Infinity;
  pool.on('query-error', (error: unknown) => {
    if (isDiskFull(error)) lacksSpace = true;
  });
  return async () => {
    const now = performance.now();
    if (!lacksSpace && now - triedAt < databaseTimeouts.spaceCheckMs) return;
    triedAt = now;
    try {
      await inTransaction(pool, (transaction) => transaction.raw(fillTemporaryFile));
      lacksSpace = false;
    } catch (error) {
      if (isDiskFull(error)) throw error;
    }
  };
};
