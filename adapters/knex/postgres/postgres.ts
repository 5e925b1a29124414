import { constFalse } from 'fp-ts/function';
import knex, { type Knex } from 'knex';
import { callbackify } from 'node:util';
import { type OwnDatabase, poolUsageOf, silentLog, withPool } from '../database/own-database';
import type { Statements, StoreDatabase } from '../database/store-database';
import { isKind } from '../database/errors';
import { inTransaction, tryAndRollBack } from '../database/work';
import { migrationConfig } from '../migrations/migrations';
import { databaseTimeouts } from '../database/timeouts';
import { inspectSequence } from './ids';
import { prepareConnection } from './prepare-connection';
import type { SessionFacts } from './run-statement';
import { postgresStatements } from './statements';
import { checkEncoding, inspectServer } from './server-settings';
import { acceptsWrites, registerSessions, type Session, type Sessions, socketWithTimeout } from './sessions';
import { connectionWith, type PostgresUrl, urlText } from './url';

const isReadOnlyServer = isKind('ReadOnlyServer');

const isDiskFull = isKind('DiskFull');

export interface PostgresOptions {
  readonly poolSize: number;
  /** Maximum time of a statement, by default 3 s. With over 4 s, statements run on after their calls have failed. */
  readonly statementTimeoutMs?: number;
}

const statementTimeoutOf = ({ statementTimeoutMs = databaseTimeouts.statementMs }: PostgresOptions): number =>
  statementTimeoutMs;

/** Resets the search path for a transaction: a pooler may pass on a session in which another client has set it. */
const resetSearchPath =
  "select set_config('search_path', reset_val, true) from pg_settings where name = 'search_path';";

/** Minimum lifetime of a session, as a multiple of the statement timeout: 4 minutes for a timeout of 3 s. */
const lifetimeInStatements = 80;

const silenceMsOf = (options: PostgresOptions): number =>
  statementTimeoutOf(options) + databaseTimeouts.outerMarginMs;

const sessionsOf = (options: PostgresOptions): Sessions =>
  registerSessions(silenceMsOf(options), options.poolSize);

export const postgresConfiguration = (
  url: PostgresUrl,
  options: PostgresOptions,
  sessions: Sessions = sessionsOf(options),
  onConnection: (facts: SessionFacts) => void = () => undefined,
): Knex.Config => {
  const { poolSize } = options;
  const statementTimeoutMs = statementTimeoutOf(options);
  const timeoutMs = silenceMsOf(options);
  const lifetimeMs = lifetimeInStatements * statementTimeoutMs;
  return {
    client: 'pg',
    connection: connectionWith(
      url,
      {
        keepAlive: true,
        stream: socketWithTimeout(timeoutMs),
        connectionTimeoutMillis: statementTimeoutMs,
        application_name: 'animal-store',
      },
      sessions.retireAll,
    ),
    acquireConnectionTimeout: timeoutMs,
    pool: {
      min: 0,
      max: poolSize,
      idleTimeoutMillis: statementTimeoutMs,
      reapIntervalMillis: 250,
      // After a failover, an open session may still work but lead to the former primary. Lifetimes differ, so that not
      // all sessions reconnect at once.
      maxConnectionLifetimeMillis: lifetimeMs,
      maxConnectionLifetimeJitterMillis: lifetimeMs / 4,
      afterCreate: callbackify(async (connection: Session) => {
        try {
          const facts = await prepareConnection(connection, statementTimeoutMs);
          onConnection(facts);
          await sessions.admit(connection, facts.isPooled);
        } catch (error) {
          // Knex drops a connection whose preparation fails, but leaves its session open.
          await connection.end();
          throw error;
        }
      }),
      validate: sessions.isUsable,
    },
    log: silentLog,
    migrations: migrationConfig,
  };
};

/**
 * Key of the advisory lock, 'anml' in ASCII. PostgreSQL separates advisory locks by database, so migrations of two
 * databases don't wait for each other.
 */
const lockKey = 0x616e6d6c;

/**
 * Runs work in a transaction that holds the migration lock. The lock belongs to the transaction, so it works behind
 * PgBouncer, and a killed process releases it. PostgreSQL ends a transaction that is idle for 10 s, so that a process
 * that hangs does not keep the lock. Rejects after a wait of 2 s for this lock or for a table, because statements of
 * running services queue behind a waiting migration.
 */
const withMigrationLock = <A>(
  pool: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  prelude = '',
): Promise<A> =>
  inTransaction(pool, async (transaction) => {
    await transaction.raw(
      `${prelude}
       set local statement_timeout = 0;
       set local idle_in_transaction_session_timeout = '10s';
       set local lock_timeout = '2s';
       select pg_advisory_xact_lock(${lockKey})`,
    );
    await checkEncoding(transaction);
    return work(transaction);
  });

/**
 * Statements that write a temporary file of 0.7 MB next to the tables. The update of the only heartbeat can't replace
 * them, because it succeeds on a full disk while its page has space.
 */
const fillTemporaryFile = `set local work_mem = '64kB'; set local temp_tablespaces = '';
  select count(*) from generate_series(1, 50000)`;

const postgresDatabase = (
  pool: Knex,
  primaryCondition: string,
  statements: Statements,
): Omit<StoreDatabase, 'maxBatches' | 'withMigrationLock'> => ({
  reads: pool,
  writes: pool,
  statements,
  primaryCondition,
  write: (statement) => statement(pool),
  transaction: (work, deadline) => inTransaction(pool, work, { deadline }),
});

/**
 * Opens a PostgreSQL or Citus database by a URL. Connects at the first query. A query rejects if the connection fails,
 * or if the server is a standby or read-only.
 */
export const openPostgres = (url: PostgresUrl, options: PostgresOptions): OwnDatabase => {
  // Assumes a pooler until the first connection is checked, because prepared statements can fail behind one.
  let facts: SessionFacts = { isPooled: true };
  const sessions = sessionsOf(options);
  const configuration = postgresConfiguration(url, options, sessions, (found) => {
    // A pooler that accepts a search path in the address keeps it for each client.
    facts = urlText(url).includes('search_path') ? { ...found, schema: undefined } : found;
  });
  const pool = knex(configuration);
  pool.on('start', (builder: Partial<Pick<Knex.QueryBuilder, 'withSchema'>>) => {
    if (facts.schema !== undefined) builder.withSchema?.(facts.schema);
  });
  let lacksSpace = false;
  let spaceTriedAt = performance.now();
  pool.on('query-error', (error: unknown) => {
    // After a failover, the other sessions of the pool may lead to the former primary too.
    if (isReadOnlyServer(error)) sessions.retireAll();
    if (isDiskFull(error)) lacksSpace = true;
  });
  /** Makes a pool without time limits for statements, because a migration may take long. */
  const migrationPool = (): Knex =>
    knex({
      ...configuration,
      connection: {
        connectionString: urlText(url),
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        connectionTimeoutMillis: statementTimeoutOf(options),
        application_name: 'animal-store migration',
      },
      pool: { min: 0, max: 1 },
    });
  const usage = poolUsageOf('shared', pool);
  const { statements, isDistributed } = postgresStatements(acceptsWrites, () => facts);
  return {
    ...postgresDatabase(pool, acceptsWrites, statements),
    maxBatches: { reads: Math.ceil(options.poolSize / 4), writes: Math.ceil(options.poolSize / 5) },
    withMigrationLock: (work) =>
      withPool(migrationPool(), (own) => withMigrationLock(own, work, resetSearchPath)),
    isFileReplaced: constFalse,
    inspect: async () => {
      await checkEncoding(pool);
      return inspectServer(pool, facts, statementTimeoutOf(options), options.poolSize);
    },
    currentSchema: async () => {
      const { schema } = await pool.first<{ readonly schema: string | null }>(
        pool.raw('current_schema() as schema'),
      );
      return facts.schema ?? schema ?? undefined;
    },
    inspectIds: async (count) =>
      (await isDistributed(pool)) ? undefined : inspectSequence(pool, statements, count),
    checkSpace: async (isSuspected = lacksSpace) => {
      const now = performance.now();
      if (!isSuspected && now - spaceTriedAt < databaseTimeouts.spaceCheckMs) return;
      spaceTriedAt = now;
      try {
        await inTransaction(pool, (transaction) => transaction.raw(fillTemporaryFile));
        lacksSpace = false;
      } catch (error) {
        if (isDiskFull(error)) throw error;
      }
    },
    runTrial: (migration) =>
      tryAndRollBack(pool, async (transaction) => {
        await transaction.raw(
          `${resetSearchPath} set local lock_timeout = '500ms'; set local statement_timeout = '500ms'`,
        );
        await migration(transaction);
      }),
    sizes: async () => {
      const { size } = await pool.first<{ size: string }>(
        pool.raw('pg_database_size(current_database()) as size'),
      );
      return {
        databaseSize: Number(size),
        certificateExpirySeconds: facts.certificateExpirySeconds,
      };
    },
    poolUsage: () => [usage()],
    close: () => pool.destroy(),
  };
};

/** A host may use a pooler, and chooses the search path of its sessions. */
const hostFacts: SessionFacts = { isPooled: true };

/** Makes a StoreDatabase from the Knex of a host. Permits reads from a standby, because the host chooses the server. */
export const hostPostgres = (pool: Knex): StoreDatabase => ({
  ...postgresDatabase(pool, 'true', postgresStatements('true', () => hostFacts).statements),
  maxBatches: pool.isTransaction === true ? { reads: 1, writes: 1 } : { reads: 2, writes: 2 },
  withMigrationLock: (work) => withMigrationLock(pool, work),
});
