import knex, { type Knex } from 'knex';
import { isKind, readOnlyServer } from '../database/errors';
import type { PostgresDatabase } from '../database/opened-database';
import { poolUsageOf, withPool } from '../database/pool';
import type { StoreDatabase, Statements } from '../database/store-database';
import { postgresTimeouts } from '../database/timeouts';
import { inTransaction } from '../database/work';
import {
  postgresMigrationConfiguration,
  postgresConfiguration,
  type PostgresOptions,
  sessionsOf,
} from './configuration';
import { type ConnectionString, currentAddress } from './connection-string';
import { spaceCheck } from './disk-space';
import { inspectSequence } from './ids';
import { runTrial, withStoreLock } from './migration-transactions';
import { checkRights } from './rights';
import type { SessionFacts } from './run-statement';
import { nameSchemaInQueries, resetSearchPath, setsSearchPath } from './schema';
import { checkEncoding, inspectServer } from './server-settings';
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
  // Assumes a pooler until the first connection is prepared, because prepared statements can fail behind one.
  let facts: SessionFacts = { isBehindPooler: true };
  const rememberFacts = (found: SessionFacts): void => {
    facts = setsSearchPath(currentAddress(connectionString)) ? { ...found, schema: undefined } : found;
  };
  const sessions = sessionsOf(options);
  const pool = knex(postgresConfiguration(connectionString, options, sessions, rememberFacts));
  nameSchemaInQueries(pool, () => facts.schema);
  pool.on('query-error', (error: unknown) => {
    // After a failover, the other sessions of the pool may lead to the former primary too.
    if (isReadOnlyServer(error)) sessions.retireAll();
  });
  const { statements, run, isDistributed } = postgresStatements(acceptsWrites, () => facts);
  const usage = poolUsageOf('shared', pool);
  return {
    ...databaseOn(pool, statements),
    engine: 'PostgreSQL',
    writePool: pool,
    run,
    maxBatches: { reads: Math.ceil(options.poolSize / 4), writes: Math.ceil(options.poolSize / 5) },
    withStoreLock: (work) =>
      withPool(knex(postgresMigrationConfiguration(connectionString, options)), (migrationPool) =>
        withStoreLock(migrationPool, work, resetSearchPath),
      ),
    inspect: async () => {
      await checkEncoding(pool);
      return inspectServer(pool, run, facts, postgresTimeouts(options.statementTimeoutMs), options.poolSize);
    },
    currentSchema: async () => {
      const sql = 'select {current_schema} as schema';
      const [row] = await run<{ readonly schema: string | null }>(pool, { sql }, []);
      return row?.schema ?? undefined;
    },
    inspectIds: async (count) =>
      (await isDistributed(pool)) ? undefined : inspectSequence(pool, run, count),
    checkRights: () => checkRights(pool, run),
    checkSpace: spaceCheck(pool),
    runTrial: (migration) => runTrial(pool, migration),
    sizes: async () => ({
      databaseSize: await readSize(pool),
      certificateExpirySeconds: facts.certificateExpirySeconds,
    }),
    poolUsage: () => [usage()],
    close: () => pool.destroy(),
  };
};

/** Assumes a pooler, because a host may use one. Sets no schema, because the host chooses the search path. */
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

const readSize = async (pool: Knex): Promise<number> => {
  const { size } = await pool.first<{ size: string }>(
    pool.raw('pg_database_size(current_database()) as size'),
  );
  return Number(size);
};
