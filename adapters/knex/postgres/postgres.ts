import knex, { type Knex } from 'knex';
import type { Database, DatabaseSizes, Durability } from '../database/database';
import { permanentError } from '../database/database-error';
import { poolUsageOf } from '../database/knex-pool';
import { migrationConfig } from '../migrations/migration-config';
import { type Engine, engineBehind } from './engine';
import { withMigrationLock } from './migration-lock';
import { withMigrationPool } from './migration-pool';
import { postgresPetStatements } from './postgres-pet-statements';
import { readSettings, settingText } from './read-settings';
import { limitsOf } from './session-limits';
import { statementRunner } from './statement-runner';
import { silentLog } from '../database/silent-log';

/**
 * Whether a connection prepares statements once, by name. `auto`: where no pooler stands between, since many of them give
 * the next statement to a connection that has not prepared it, or has prepared another by that name.
 */
export type PreparedStatements = 'auto' | 'always' | 'never';

/** How much of a PostgreSQL server one process takes, and how. */
export interface PostgresOptions {
  /** In connections. */
  readonly poolSize: number;
  /** In milliseconds. */
  readonly statementTimeout: number;
  /** By default `auto`. */
  readonly preparedStatements?: PreparedStatements;
  /** The schema of the tables, made where it is missing; by default the first of the server's own search path. */
  readonly schema?: string;
}

/** What knex needs to reach a PostgreSQL database; TLS is set in the address (`sslmode`). */
export const postgresConfiguration = (
  connectionString: string,
  options: PostgresOptions,
  engine: () => Promise<Engine> = engineBehind(connectionString, options.statementTimeout),
): Knex.Config => ({
  client: 'pg',
  connection: async () => (await engine()).connection,
  acquireConnectionTimeout: options.statementTimeout + 500,
  pool: {
    min: 0,
    max: options.poolSize,
    // One that idles leaves the pool before its silence is taken for a fault.
    idleTimeoutMillis: options.statementTimeout,
    reapIntervalMillis: 250,
  },
  ...(options.schema === undefined ? {} : { searchPath: options.schema }),
  log: silentLog,
  migrations: migrationConfig,
});

/** How a PostgreSQL server keeps what was committed. */
export const durabilityOf = async (pool: Knex): Promise<Durability> => {
  const settings = await readSettings(pool, 'fsync', 'synchronous_commit');
  return {
    isDurable: settings.get('fsync') === 'on' && settings.get('synchronous_commit') !== 'off',
    text: [...settings].map(settingText).join(', '),
    remedy: 'set both to on',
  };
};

/** Its write-ahead log is the server's, and its disk is another machine's. */
export const sizesOf = async (pool: Knex): Promise<DatabaseSizes> => {
  const { size } = await pool.first<{ size: string }>(
    pool.raw('pg_database_size(current_database()) as size'),
  );
  return { database: Number(size), writeAheadLog: undefined, diskAvailable: undefined };
};

/** Rejects where the server can't keep every text. */
export const checkEncoding = async (pool: Knex): Promise<void> => {
  const encoding = (await readSettings(pool, 'server_encoding')).get('server_encoding') ?? '';
  if (encoding === 'UTF8') return;
  throw permanentError(
    `its encoding ${encoding} does not keep every text: use one made by create database ... encoding 'UTF8' template template0`,
  );
};

/** The pool is shared by reads by id, lists and keys, each with its lanes, and by creates. */
const lanesOf = ({ poolSize }: PostgresOptions): Database['lanes'] => ({
  reads: Math.ceil(poolSize / 4),
  writes: Math.ceil(poolSize / 5),
});

/** Opens a PostgreSQL database, or a distributed engine that speaks its protocol. */
export const openPostgres = (connectionString: string, options: PostgresOptions): Database => {
  const engine = engineBehind(connectionString, options.statementTimeout);
  const pool = knex(postgresConfiguration(connectionString, options, engine));
  const { preparedStatements: wanted = 'auto' } = options;
  const isPrepared = async (): Promise<boolean> =>
    wanted === 'auto' ? !(await engine()).isPooled : wanted === 'always';
  const usage = poolUsageOf('shared', pool);
  return {
    reads: pool,
    writes: pool,
    petStatements: postgresPetStatements(statementRunner(isPrepared), engine),
    preparesStatements: isPrepared,
    lanes: lanesOf(options),
    withMigrationLock: withMigrationLock(withMigrationPool(connectionString, options.schema), options.schema),
    checkUsable: () => checkEncoding(pool),
    durability: () => durabilityOf(pool),
    sizes: () => sizesOf(pool),
    limits: async () => limitsOf(pool, (await engine()).isDistributed, options.statementTimeout),
    isFileReplaced: () => false,
    isFileIntact: () => true,
    poolUsage: () => [usage()],
    close: () => pool.destroy(),
  };
};
