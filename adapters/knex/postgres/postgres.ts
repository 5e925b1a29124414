import knex, { type Knex } from 'knex';
import { isKind } from '../database/errors';
import type { PostgresDatabase } from '../database/own-database';
import { poolUsageOf, withPool } from '../database/pool';
import type { StoreDatabase, Statements } from '../database/store-database';
import { databaseTimeouts, postgresTimeouts } from '../database/timeouts';
import { inTransaction, tryAndRollBack } from '../database/work';
import { postgresConfiguration, type PostgresOptions, sessionsOf } from './configuration';
import { spaceCheck } from './disk-space';
import { inspectSequence } from './ids';
import { resetSearchPath, withMigrationLock } from './migration-transactions';
import { checkRights } from './rights';
import { prefixOf, type SessionFacts } from './run-statement';
import { checkEncoding, inspectServer, setTimeouts } from './server-settings';
import { acceptsWrites } from './sessions';
import { postgresStatements } from './statements';
import { type PostgresDatabaseUrl, urlText } from './connection-string';

const isReadOnlyServer = isKind('ReadOnlyServer');

const postgresDatabase = (
  pool: Knex,
  statements: Statements,
): Omit<StoreDatabase, 'maxBatches' | 'withMigrationLock'> => ({
  readPool: pool,
  isHostTransaction: pool.isTransaction === true,
  statements,
  write: (statement) => statement(pool),
  runTransaction: (work, deadline) => inTransaction(pool, work, { deadline }),
});

/** Makes a pool without time limits for statements, because a migration may take long. */
const migrationPool = (
  configuration: Knex.Config,
  url: PostgresDatabaseUrl,
  options: PostgresOptions,
): Knex =>
  knex({
    ...configuration,
    connection: {
      connectionString: urlText(url),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: postgresTimeouts(options.statementTimeoutMs).statementMs,
      application_name: 'animal-store migration',
    },
    pool: { min: 0, max: 1 },
  });

const readCurrentSchema = async (pool: Knex): Promise<string | undefined> => {
  const { schema } = await pool.first<{ readonly schema: string | null }>(
    pool.raw('current_schema() as schema'),
  );
  return schema ?? undefined;
};

const readSize = async (pool: Knex): Promise<number> => {
  const { size } = await pool.first<{ size: string }>(
    pool.raw('pg_database_size(current_database()) as size'),
  );
  return Number(size);
};

const runTrial = (pool: Knex, migration: (transaction: Knex.Transaction) => Promise<void>): Promise<void> =>
  tryAndRollBack(pool, async (transaction) => {
    const limits = { statementMs: databaseTimeouts.trialMs, lockMs: databaseTimeouts.trialMs };
    await transaction.raw(`${resetSearchPath} ${setTimeouts(limits, 'transaction')}`);
    await migration(transaction);
  });

/**
 * Opens a PostgreSQL or Citus database by a URL. Connects at the first query. A query rejects if the connection fails,
 * or if the server is a standby or read-only.
 */
export const openPostgres = (url: PostgresDatabaseUrl, options: PostgresOptions): PostgresDatabase => {
  // Assumes a pooler until the first connection is checked, because prepared statements can fail behind one.
  let facts: SessionFacts = { isBehindPooler: true };
  const sessions = sessionsOf(options);
  const configuration = postgresConfiguration(url, options, sessions, (found) => {
    // Behind a pooler, statements name the schema, because other clients may have changed the search path. If the URL
    // sets `search_path`, they need not: a pooler that accepts this parameter keeps the path of each client.
    facts = urlText(url).includes('search_path') ? { ...found, schema: undefined } : found;
  });
  const pool = knex(configuration);
  pool.on('start', (builder: Partial<Pick<Knex.QueryBuilder, 'withSchema'>>) => {
    if (facts.schema !== undefined) builder.withSchema?.(facts.schema);
  });
  pool.on('query-error', (error: unknown) => {
    // After a failover, the other sessions of the pool may lead to the former primary too.
    if (isReadOnlyServer(error)) sessions.retireAll();
  });
  const { statements, run, isDistributed, connectedFacts } = postgresStatements(acceptsWrites, () => facts);
  const usage = poolUsageOf('shared', pool);
  return {
    ...postgresDatabase(pool, statements),
    engine: 'PostgreSQL',
    writePool: pool,
    run,
    maxBatches: { reads: Math.ceil(options.poolSize / 4), writes: Math.ceil(options.poolSize / 5) },
    withMigrationLock: (work) =>
      withPool(migrationPool(configuration, url, options), (single) =>
        withMigrationLock(single, work, resetSearchPath),
      ),
    inspect: async () => {
      await checkEncoding(pool);
      return inspectServer(pool, facts, postgresTimeouts(options.statementTimeoutMs), options.poolSize);
    },
    currentSchema: async () => facts.schema ?? (await readCurrentSchema(pool)),
    inspectIds: async (count) =>
      (await isDistributed(pool)) ? undefined : inspectSequence(pool, run, count),
    checkRights: async () => checkRights(pool, prefixOf(await connectedFacts(pool))),
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
  ...postgresDatabase(pool, postgresStatements('true', () => hostFacts).statements),
  maxBatches: pool.isTransaction === true ? { reads: 1, writes: 1 } : { reads: 2, writes: 2 },
  withMigrationLock: (work) => withMigrationLock(pool, work),
});
