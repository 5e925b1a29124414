import * as t from 'io-ts';
import type { Knex } from 'knex';
import { setTimeout as delay } from 'node:timers/promises';
import { isConflict, isSqliteBusy, withoutStatement } from './errors';
import type { PoolUsage } from './store-database';

const CommitAnswer = t.type({ response: t.type({ command: t.string }) });

const ignore = (): void => undefined;

export const silentLog: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

export const withPool = async <A>(pool: Knex, use: (pool: Knex) => Promise<A>): Promise<A> => {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
};

/** Returns the name of Knex's driver, such as `pg` or `sqlite3`. */
export const driverOf = ({ client }: { readonly client: unknown }): unknown =>
  typeof client === 'object' && client !== null ? Reflect.get(client, 'driverName') : undefined;

interface Pool {
  readonly numUsed: () => number;
  readonly numFree: () => number;
  readonly numPendingAcquires: () => number;
}

export const poolUsageOf =
  (name: string, { client }: { readonly client: { readonly pool: Pool } }) =>
  (): PoolUsage => ({
    pool: name,
    used: client.pool.numUsed(),
    idle: client.pool.numFree(),
    waiting: client.pool.numPendingAcquires(),
  });

interface TransactionOnConnection extends Pick<Knex.Transaction, 'on'> {
  readonly client: { readonly acquireConnection: () => Promise<object> };
}

/**
 * Makes knex close the connection if COMMIT fails with SQLITE_BUSY, which can happen without a write-ahead log. SQLite
 * then keeps the transaction open, and later statements on the connection would belong to that transaction.
 */
const closeOnBusyCommit = async (transaction: TransactionOnConnection): Promise<void> => {
  const connection = await transaction.client.acquireConnection();
  transaction.on('query-error', (error: unknown, { sql }: { readonly sql?: string }) => {
    if (sql === 'COMMIT;' && isSqliteBusy(error)) Reflect.set(connection, '__knex__disposed', error);
  });
};

/**
 * Runs work in a transaction, and rolls back if the work throws. Used all over the adapter, such as by pets/create.ts.
 * Throws if PostgreSQL answers COMMIT with ROLLBACK, as it does if the work ignored a failed statement.
 */
export const inTransaction = async <A>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
): Promise<A> => {
  const transaction = await knex.transaction().catch((error: unknown) => {
    throw withoutStatement(error);
  });
  let result: A;
  try {
    result = await work(transaction);
  } catch (error) {
    await transaction.rollback().catch(withoutStatement);
    throw error;
  }
  await closeOnBusyCommit(transaction);
  const answer: unknown = await transaction.commit();
  // Knex resolves the promise of `commit` even if the commit failed; `executionPromise` then rejects.
  await transaction.executionPromise;
  if (CommitAnswer.is(answer) && answer.response.command === 'ROLLBACK') {
    throw new Error(
      'the database rolled back the transaction, because a statement in it failed; see the log of PostgreSQL',
    );
  }
  return result;
};

export const tryAndRollBack = async <A>(
  writes: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
): Promise<A> => {
  const transaction = await writes.transaction();
  try {
    return await work(transaction);
  } finally {
    await transaction.rollback();
  }
};

const attempts = 6;

const conflictDelayMs = 4;

export const retryConflicts = async <A>(transaction: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (attempt === attempts || !isConflict(error)) throw error;
      await delay(Math.random() * conflictDelayMs * 2 ** attempt);
    }
  }
};
