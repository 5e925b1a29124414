import type { Knex } from 'knex';
import { withoutStatement } from './errors';

const ignore = (): void => undefined;

export const silentLog: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

export const withPool = async <A>(pool: Knex, use: (pool: Knex) => Promise<A>): Promise<A> => {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
};

/**
 * Runs work in a transaction, and rolls back if the work rejects. The work must not ignore a failed statement, because
 * PostgreSQL then answers COMMIT with ROLLBACK.
 */
export const inTransaction = async <A>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  config?: Knex.TransactionConfig,
): Promise<A> => {
  const transaction = await knex.transaction(config).catch((error: unknown) => {
    throw withoutStatement(error);
  });
  let result: A;
  try {
    result = await work(transaction);
  } catch (error) {
    await transaction.rollback().catch(withoutStatement);
    throw error;
  }
  await transaction.commit();
  // Knex resolves the promise of `commit` even if the commit failed; `executionPromise` then rejects.
  await transaction.executionPromise;
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
