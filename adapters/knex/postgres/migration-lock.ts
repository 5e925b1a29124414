import knex, { type Knex } from 'knex';
import { inTransaction, silentLog, withPool } from '../database/connections';
import { isPostgresLockTimeout } from '../database/errors';
import { databaseTimeouts } from '../timeouts';

/** Key of the advisory lock, 'anml' in ASCII. PostgreSQL keeps advisory locks for each database. */
const lockKey = 0x616e6d6c;

const takeLock = async (transaction: Knex): Promise<void> => {
  await transaction.raw('set local statement_timeout = 0');
  await transaction.raw("set local lock_timeout = '10min'");
  // PostgreSQL ends a transaction that is idle for 10 s, so that a process that hangs does not keep its locks.
  await transaction.raw("set local idle_in_transaction_session_timeout = '10s'");
  try {
    await transaction.raw('select pg_advisory_xact_lock(?)', [lockKey]);
  } catch (error) {
    if (!isPostgresLockTimeout(error)) throw error;
    throw new Error("timed out waiting for another process's migration", { cause: error });
  }
  // A wait for a table ends after 2 s and the migration is retried, because statements of running services queue behind
  // that wait.
  await transaction.raw("set local lock_timeout = '2s'");
};

/**
 * Looks for the schema first. A role that may not create schemas can't run `create schema if not exists`, even if the
 * schema exists.
 */
const createSchema = async (transaction: Knex, schema: string): Promise<void> => {
  const found: unknown = await transaction('pg_namespace').where({ nspname: schema }).first('oid');
  if (found === undefined) await transaction.raw('create schema if not exists ??', [schema]);
};

const connectTimeoutMs = 9_000;

/** Lends a pool without time limits for statements, because a migration may take any time. */
export const withMigrationPool =
  (connectionString: string, schema: string | undefined) =>
  <A>(use: (pool: Knex) => Promise<A>): Promise<A> =>
    withPool(
      knex({
        client: 'pg',
        connection: {
          connectionString,
          connectionTimeoutMillis: connectTimeoutMs,
          keepAlive: true,
          keepAliveInitialDelayMillis: 10_000,
          application_name: 'animal-store migration',
        },
        acquireConnectionTimeout: connectTimeoutMs + databaseTimeouts.graceMs,
        pool: { min: 0, max: 1 },
        ...(schema === undefined ? {} : { searchPath: schema }),
        log: silentLog,
      }),
      use,
    );

/**
 * Creates the function `withMigrationLock` of a Database, for postgres.ts. The lock belongs to a transaction. So it
 * works behind PgBouncer, and a killed process releases it.
 */
export const withMigrationLock =
  (lendPool: <B>(use: (pool: Knex) => Promise<B>) => Promise<B>, schema?: string) =>
  <A>(work: (transaction: Knex.Transaction) => Promise<A>): Promise<A> =>
    lendPool((pool) =>
      inTransaction(pool, async (transaction) => {
        await takeLock(transaction);
        if (schema !== undefined) await createSchema(transaction, schema);
        return work(transaction);
      }),
    );
