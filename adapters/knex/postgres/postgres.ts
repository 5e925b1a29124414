import knex, { type Knex } from 'knex';
import { Socket } from 'node:net';
import { poolUsageOf, silentLog, withPool } from '../database/connections';
import type { Database, DatabaseSizes, InspectableDatabase } from '../database/database';
import { isUnsupportedStartupParameter } from '../database/errors';
import { migrationConfig } from '../migrations/migrations';
import { withMigrationLock, withMigrationPool } from './migration-lock';
import { postgresPetStatements } from './pet-statements';
import { checkEncoding, inspectServer, sessionTimeouts } from './server-settings';
import { databaseTimeouts } from '../timeouts';

interface Engine {
  readonly connection: Knex.PgConnectionConfig;
  readonly isPooled: boolean;
  readonly isEncrypted: boolean;
  readonly isDistributed: boolean;
}

/**
 * Makes sockets that are destroyed after a silence longer than any statement may take. The query then hangs, or the
 * network drops its packets. The error makes the pool remove the connection. The pool closes idle connections earlier
 * (`idleTimeoutMillis`), so that their silence does not count as a hanging query.
 */
const socketWithTimeout = (timeoutMs: number) => (): Socket => {
  const socket = new Socket();
  return socket.setTimeout(timeoutMs, () =>
    socket.destroy(new Error(`timed out: PostgreSQL sent nothing for ${timeoutMs} ms`)),
  );
};

const readIdentity = (pool: Knex) =>
  pool.first<{ readonly pid: number; readonly isDistributed: boolean }>(
    pool.raw('pg_backend_pid() as pid'),
    pool.raw(`to_regclass('pg_catalog.pg_dist_partition') is not null as "isDistributed"`),
  );

const connect = async (connection: Knex.PgConnectionConfig, timeoutMs: number): Promise<Engine> => {
  let opened: object = {};
  const pool = knex({
    client: 'pg',
    connection,
    acquireConnectionTimeout: timeoutMs,
    log: silentLog,
    pool: {
      min: 0,
      max: 1,
      afterCreate: (raw: object, done: () => void) => {
        opened = raw;
        done();
      },
    },
  });
  const server = await withPool(pool, readIdentity);
  // Process id that PostgreSQL sent when the connection opened. A connection pooler such as PgBouncer invents one.
  const isPooled = server.pid !== Reflect.get(opened, 'processID');
  // The driver doesn't connect if it has settings for TLS and the server doesn't support it.
  const isEncrypted = Boolean(Reflect.get(opened, 'ssl'));
  return { connection, isPooled, isEncrypted, isDistributed: server.isDistributed };
};

const detect = async (connectionString: string, statementTimeoutMs: number): Promise<Engine> => {
  const timeoutMs = statementTimeoutMs + databaseTimeouts.graceMs;
  const bare = {
    connectionString,
    keepAlive: true,
    stream: socketWithTimeout(timeoutMs),
    connectionTimeoutMillis: statementTimeoutMs,
    application_name: 'animal-store',
  };
  try {
    return await connect({ ...bare, ...sessionTimeouts(statementTimeoutMs) }, timeoutMs);
  } catch (error) {
    if (!isUnsupportedStartupParameter(error)) throw error;
    return connect(bare, timeoutMs);
  }
};

const detectEngine = (connectionString: string, statementTimeoutMs: number): (() => Promise<Engine>) => {
  let detected: Promise<Engine> | undefined;
  return () => {
    detected ??= detect(connectionString, statementTimeoutMs).catch((error: unknown) => {
      detected = undefined;
      throw error;
    });
    return detected;
  };
};

export interface PostgresOptions {
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  /**
   * Schema of the tables, which a migration creates if it is missing. The default is the first schema of the search
   * path.
   */
  readonly schema?: string;
}

export const postgresConfiguration = (
  connectionString: string,
  options: PostgresOptions,
  engine: () => Promise<Engine> = detectEngine(connectionString, options.statementTimeoutMs),
): Knex.Config => ({
  client: 'pg',
  connection: async () => (await engine()).connection,
  acquireConnectionTimeout: options.statementTimeoutMs + databaseTimeouts.graceMs,
  pool: {
    min: 0,
    max: options.poolSize,
    idleTimeoutMillis: options.statementTimeoutMs,
    reapIntervalMillis: 250,
  },
  ...(options.schema === undefined ? {} : { searchPath: options.schema }),
  log: silentLog,
  migrations: migrationConfig,
});

const sizesOf = async (pool: Knex): Promise<DatabaseSizes> => {
  const { size } = await pool.first<{ size: string }>(
    pool.raw('pg_database_size(current_database()) as size'),
  );
  return { databaseSize: Number(size) };
};

const concurrencyOf = ({ poolSize }: PostgresOptions): Database['concurrency'] => ({
  reads: Math.ceil(poolSize / 4),
  writes: Math.ceil(poolSize / 5),
});

const databaseOn = (
  pool: Knex,
  engine: (knex: Knex) => Promise<Pick<Engine, 'isDistributed'>>,
  preparesStatements: () => Promise<boolean>,
) => ({
  reads: pool,
  writes: pool,
  petStatements: postgresPetStatements(preparesStatements, engine),
  preparesStatements,
  checkUsable: () => checkEncoding(pool),
  sizes: () => sizesOf(pool),
  isFileReplaced: () => false,
});

/** Opens a database for app/doctor/doctor.ts. */
export const openPostgresForInspection = (
  connectionString: string,
  options: PostgresOptions,
): InspectableDatabase => {
  const engine = detectEngine(connectionString, options.statementTimeoutMs);
  const pool = knex(postgresConfiguration(connectionString, options, engine));
  const isPrepared = async (): Promise<boolean> => !(await engine()).isPooled;
  const usage = poolUsageOf('shared', pool);
  return {
    ...databaseOn(pool, engine, isPrepared),
    concurrency: concurrencyOf(options),
    withMigrationLock: withMigrationLock(withMigrationPool(connectionString, options.schema), options.schema),
    poolUsage: () => [usage()],
    close: () => pool.destroy(),
    inspect: async () => inspectServer(pool, (await engine()).isEncrypted, options.statementTimeoutMs),
  };
};

/**
 * Opens a PostgreSQL or Citus database by a URL, such as `postgres://user:password@host:5432/name`. In the app,
 * app/backend/database.ts calls it. Connects at the first query, which rejects if no connection can be made.
 */
export const openPostgres: (connectionString: string, options: PostgresOptions) => Database =
  openPostgresForInspection;

/**
 * Makes the Database of a host's Knex, for host-database.ts. Each statement detects Citus on its own connection,
 * because waiting for another connection would deadlock if the host's pool has only one.
 */
export const hostPostgres = (pool: Knex): Database => {
  let detected: Engine['isDistributed'] | undefined;
  const engine = async (connected: Knex) => ({
    isDistributed: (detected ??= (await readIdentity(connected)).isDistributed),
  });
  return {
    ...databaseOn(pool, engine, () => Promise.resolve(false)),
    concurrency: pool.isTransaction === true ? { reads: 1, writes: 1 } : { reads: 2, writes: 2 },
    withMigrationLock: withMigrationLock((use) => use(pool)),
    poolUsage: () => [],
    close: () => Promise.resolve(),
  };
};
