import knex, { type Knex } from 'knex';
import { Socket } from 'node:net';
import type { Database } from '../database/database';
import type { Durability } from '../database/durability';
import { refusal } from '../database/database-error';
import { poolUsageOf } from '../database/knex-pool';
import { migrationConfig } from '../migrations/migration-config';
import { withMigrationLock } from './migration-lock';
import { withMigrationPool } from './migration-pool';
import { postgresPetStatements } from './postgres-pet-statements';
import { silentLog } from '../database/silent-log';

/** How much of a PostgreSQL server one process takes. */
export interface PostgresOptions {
  /** In connections. */
  readonly poolSize: number;
  /** In milliseconds. */
  readonly statementTimeout: number;
  /** The schema of the tables, made where it is missing; by default the first of the server's own search path. */
  readonly schema?: string;
}

/** How long a server leaves a transaction its locks in which nothing is asked, in milliseconds. */
const idleInTransactionMs = 10_000;

/**
 * A connection that is silent for longer than any statement may take is dropped: its query hangs, or a network swallows
 * its packets, and the next query would wait behind that one.
 */
const socketWithTimeout = (timeoutMs: number) => (): Socket => {
  const socket = new Socket();
  return socket.setTimeout(timeoutMs, () => socket.destroy());
};

/** The server ends what waits or hangs for too long; lock_timeout is missing in knex's own type. */
const limits = (statementTimeout: number) => ({
  statement_timeout: statementTimeout,
  stream: socketWithTimeout(statementTimeout + 500),
  connectionTimeoutMillis: statementTimeout,
  // The rest is left to try those who waited together with one whose row is locked.
  lock_timeout: Math.ceil(statementTimeout / 3),
  // What a process that hangs, or a machine that is gone, has locked is free again after this.
  idle_in_transaction_session_timeout: idleInTransactionMs,
});

/** What knex needs to reach a PostgreSQL database; TLS is set in the address (`sslmode`). */
export const postgresConfiguration = (
  connectionString: string,
  { poolSize, statementTimeout, schema }: PostgresOptions,
): Knex.Config => ({
  client: 'pg',
  connection: {
    ...limits(statementTimeout),
    connectionString,
    keepAlive: true,
    application_name: 'animal-store',
  },
  acquireConnectionTimeout: statementTimeout + 500,
  pool: { min: 0, max: poolSize },
  ...(schema === undefined ? {} : { searchPath: schema }),
  log: silentLog,
  migrations: migrationConfig,
});

/** How a PostgreSQL server keeps what was committed. */
export const durabilityOf = async (pool: Knex): Promise<Durability> => {
  const [settings] = await pool('pg_settings')
    .select<ReadonlyArray<Readonly<Record<'fsync' | 'synchronous_commit', string>>>>(
      pool.raw("current_setting('fsync') as fsync"),
      pool.raw("current_setting('synchronous_commit') as synchronous_commit"),
    )
    .limit(1);
  return {
    isDurable: settings?.fsync === 'on' && settings.synchronous_commit !== 'off',
    text: `fsync=${settings?.fsync ?? ''}, synchronous_commit=${settings?.synchronous_commit ?? ''}`,
    remedy: 'set both to on',
  };
};

/** Rejects where the server can't keep every text. */
export const checkEncoding = async (pool: Knex): Promise<void> => {
  const [row] = await pool.select<ReadonlyArray<{ readonly encoding: string }>>(
    pool.raw("current_setting('server_encoding') as encoding"),
  );
  if (row?.encoding === 'UTF8') return;
  throw refusal(
    `its encoding ${row?.encoding ?? ''} does not keep every text: use one made by create database ... encoding 'UTF8' template template0`,
  );
};

/** The pool is shared by reads by id, lists and keys, each with its lanes, and by creates. */
const lanesOf = ({ poolSize }: PostgresOptions): Database['lanes'] => ({
  reads: Math.ceil(poolSize / 4),
  writes: Math.ceil(poolSize / 5),
});

/** Opens a PostgreSQL database, or a distributed engine that speaks its protocol. */
export const openPostgres = (connectionString: string, options: PostgresOptions): Database => {
  const pool = knex(postgresConfiguration(connectionString, options));
  const usage = poolUsageOf('shared', pool);
  return {
    reads: pool,
    writes: pool,
    petStatements: postgresPetStatements,
    lanes: lanesOf(options),
    withMigrationLock: withMigrationLock(withMigrationPool(connectionString, options.schema), options.schema),
    checkUsable: () => checkEncoding(pool),
    durability: () => durabilityOf(pool),
    isFileReplaced: () => false,
    isFileIntact: () => true,
    poolUsage: () => [usage()],
    close: () => pool.destroy(),
  };
};
