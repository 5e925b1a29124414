import { setTimeout as delay } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { inTransaction, retryConflicts, silentLog, withPool } from '../database/connections';
import { databaseTimeouts } from '../timeouts';

/**
 * Limits of a migration. A statement may run for any time. A wait for a lock ends after 2 s and the migration is
 * retried, because statements of running services queue behind that wait. PostgreSQL ends a transaction that is idle
 * for 10 s, so that a process that hangs does not keep its locks.
 */
const limits = [
  'set local statement_timeout = 0',
  "set local lock_timeout = '2s'",
  "set local idle_in_transaction_session_timeout = '10s'",
];

const begin = <A>(pool: Knex, work: (transaction: Knex.Transaction) => Promise<A>): Promise<A> =>
  inTransaction(pool, async (transaction) => {
    for (const limit of limits) await transaction.raw(limit);
    return work(transaction);
  });

/**
 * Looks for the schema first. A role that may not create schemas can't run `create schema if not exists`, even if the
 * schema exists.
 */
const createSchema = async (transaction: Knex, schema: string): Promise<void> => {
  const found: unknown = await transaction('pg_namespace').where({ nspname: schema }).first('oid');
  if (found === undefined) await transaction.raw('create schema if not exists ??', [schema]);
};

/**
 * Looks for the table and its row first. `create table if not exists` and `insert` need their rights even if both
 * exist, and a role that only serves lacks them.
 */
const createLock = async (transaction: Knex): Promise<void> => {
  const found = await transaction.first<{ readonly name: string | null }>(
    transaction.raw("to_regclass('setup_lock')::text as name"),
  );
  if (found.name === null)
    await transaction.raw('create table if not exists setup_lock (id integer primary key)');
  else if ((await transaction('setup_lock').where({ id: 1 }).first<unknown>('id')) !== undefined) return;
  await transaction('setup_lock').insert({ id: 1 }).onConflict('id').ignore();
};

const takeLock = async (transaction: Knex.Transaction): Promise<void> => {
  const until = performance.now() + 600_000;
  while ((await transaction('setup_lock').where({ id: 1 }).forUpdate().skipLocked()).length === 0) {
    if (performance.now() > until) throw new Error("timed out waiting for another process's migration");
    await delay(100);
  }
};

const connectTimeoutMs = 9_000;

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
 * Makes `withMigrationLock` of a Database, for postgres.ts. Only one process at a time holds this lock: to migrate
 * (migrations/migrate.ts) or to create the first API key (api-keys/api-key-store.ts).
 */
export const withMigrationLock =
  (lendPool: <B>(use: (pool: Knex) => Promise<B>) => Promise<B>, schema?: string) =>
  <A>(work: (transaction: Knex.Transaction) => Promise<A>): Promise<A> =>
    lendPool(async (pool) => {
      await retryConflicts(() =>
        begin(pool, async (transaction) => {
          if (schema !== undefined) await createSchema(transaction, schema);
          await createLock(transaction);
        }),
      );
      return begin(pool, async (transaction) => {
        await takeLock(transaction);
        return work(transaction);
      });
    });
