import knex, { type Knex } from 'knex';
import { isKind, readOnlyServer } from '../database/errors';
import { inTransaction, tryAndRollBack } from '../database/transactions';
import type { PostgresDatabase } from '../database/opened-database';
import { poolUsageOf, withPool } from '../database/pool';
import type { StoreDatabase, Statements } from '../database/store-database';
import { databaseTimeouts, postgresTimeouts } from '../database/timeouts';
import { inspectSequence, makeCheckSpace, checkRights } from './checks';
import { postgresMigrationConfiguration, postgresConfiguration, type PostgresOptions } from './configuration';
import type { ConnectionString } from './connection-string';
import { nameSchemaInQueries, resetSearchPath } from './schema';
import { inspectServer, requireEncoding, setTimeouts } from './server-settings';
import { registerSessions, type SessionFacts } from './sessions';
import { postgresStatements } from './statements';

/**
 * SQL condition that is true on a server that accepts writes. On other servers it makes the statement fail, because the
 * rows of a standby or a former primary may be stale. PostgreSQL evaluates it once for each statement, in about 2 µs.
 */
const acceptsWrites = `cast(case current_setting('transaction_read_only') when 'on' then '${readOnlyServer}' end as integer) is null`;

const isReadOnlyServer = isKind('ReadOnlyServer');

/**
 * Opens a PostgreSQL or Citus database by its address. Connects at the first query. A query rejects if the connection
 * fails, or if the server is a standby or read-only.
 */
export const openPostgres = (
  connectionString: ConnectionString,
  options: PostgresOptions,
): PostgresDatabase => {
  const { poolSize } = options;
  const timeouts = postgresTimeouts(options.statementTimeoutMs);
  const sessions = registerSessions(timeouts.silenceMs, poolSize);
  const pool = knex(postgresConfiguration(connectionString, options, sessions));
  nameSchemaInQueries(pool, () => sessions.facts().schema);
  pool.on('query-error', (error: unknown) => {
    // Replaces all sessions of the pool, because after a failover the others may lead to the former primary too.
    if (isReadOnlyServer(error)) sessions.retireAll();
  });
  const { statements, run, isDistributed } = postgresStatements(acceptsWrites, sessions.facts);
  const usage = poolUsageOf('shared', pool);
  return {
    ...databaseOn(pool, statements),
    engine: 'PostgreSQL',
    writePool: pool,
    run,
    maxBatches: { reads: Math.ceil(poolSize / 4), writes: Math.ceil(poolSize / 5) },
    withStoreLock: (work) =>
      withPool(knex(postgresMigrationConfiguration(connectionString, options)), (migrationPool) =>
        withStoreLock(migrationPool, work, resetSearchPath),
      ),
    inspect: async () => {
      await requireEncoding(pool);
      return inspectServer(pool, run, sessions.facts(), timeouts, poolSize);
    },
    currentSchema: async () => {
      const sql = 'select {current_schema} as schema';
      const [row] = await run<{ readonly schema: string | null }>(pool, { sql }, []);
      return row?.schema ?? undefined;
    },
    inspectIds: async (count) =>
      (await isDistributed(pool)) ? undefined : inspectSequence(pool, run, count),
    checkRights: () => checkRights(pool, run),
    checkSpace: makeCheckSpace(pool),
    runTrial: (migration) => runTrial(pool, migration),
    sizes: async () => ({
      databaseSize: await readSize(pool),
      certificateExpirySeconds: sessions.facts().certificateExpirySeconds,
    }),
    poolUsage: () => [usage()],
    close: () => pool.destroy(),
  };
};

// Assumes a pooler, because a host may use one. Sets no schema, because the host chooses the search path.
const hostFacts: SessionFacts = { isBehindPooler: true };

/** Makes a StoreDatabase from the Knex of a host. Permits reads from a standby, because the host chooses the server. */
export const hostPostgres = (pool: Knex): StoreDatabase => ({
  ...databaseOn(pool, postgresStatements('true', () => hostFacts).statements),
  maxBatches: pool.isTransaction === true ? { reads: 1, writes: 1 } : { reads: 2, writes: 2 },
  withStoreLock: (work) => withStoreLock(pool, work),
});

const databaseOn = (
  pool: Knex,
  statements: Statements,
): Omit<StoreDatabase, 'maxBatches' | 'withStoreLock'> => ({
  readPool: pool,
  isHostTransaction: pool.isTransaction === true,
  statements,
  write: (statement) => statement(pool),
  runTransaction: (work, deadline) => inTransaction(pool, work, { deadline }),
});

/**
 * Key of the advisory lock, 'anml' in ASCII. PostgreSQL separates advisory locks by database, so migrations of two
 * databases don't wait for each other.
 */
const advisoryLockKey = 0x616e6d6c;

/**
 * Runs work in a transaction that holds the lock of the store. The lock belongs to the transaction, so it works behind
 * PgBouncer, and a killed process releases it. Rejects after a wait of `migrationLockMs` for this lock or for a table.
 */
const withStoreLock = <A>(
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
    await requireEncoding(transaction);
    return work(transaction);
  });

const runTrial = (pool: Knex, migration: (transaction: Knex.Transaction) => Promise<void>): Promise<void> =>
  tryAndRollBack(pool, async (transaction) => {
    const limits = { statementMs: databaseTimeouts.trialMs, lockMs: databaseTimeouts.trialMs };
    await transaction.raw(`${resetSearchPath} ${setTimeouts(limits, 'transaction')}`);
    await migration(transaction);
  });

const readSize = async (pool: Knex): Promise<number> => {
  const { size } = await pool.first<{ size: string }>(
    pool.raw('pg_database_size(current_database()) as size'),
  );
  return Number(size);
};
