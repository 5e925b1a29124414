import { Socket } from 'node:net';
import knex, { type Knex } from 'knex';
import { isUnsupportedStartupParameter } from '../database/errors';
import { silentLog, withPool } from '../database/connections';
import { sessionTimeouts } from './server-settings';
import { databaseTimeouts } from '../../../core/timeouts';

export interface Engine {
  readonly connection: Knex.PgConnectionConfig;
  /** True behind a pooler, which may run each statement on another server connection. */
  readonly isPooled: boolean;
  readonly isDistributed: boolean;
}

/**
 * Destroys a connection that is silent for longer than any statement may take: its query hangs, or the network drops
 * its packets. The error makes the pool remove the connection.
 */
const socketWithTimeout = (timeoutMs: number) => (): Socket => {
  const socket = new Socket();
  return socket.setTimeout(timeoutMs, () =>
    socket.destroy(new Error('the database connection was silent for too long')),
  );
};

const readIdentity = (pool: Knex) =>
  pool.first<{ readonly pid: number; readonly isDistributed: boolean }>(
    pool.raw('pg_backend_pid() as pid'),
    pool.raw(`to_regclass('pg_catalog.pg_dist_partition') is not null as "isDistributed"`),
  );

export const isDistributed = async (pool: Knex): Promise<boolean> => (await readIdentity(pool)).isDistributed;

/** Returns the process id that the server sent at startup. A pooler sends an invented one. */
const processNamedBy = (connection: unknown): unknown =>
  typeof connection === 'object' && connection !== null ? Reflect.get(connection, 'processID') : undefined;

const connect = async (connection: Knex.PgConnectionConfig, timeoutMs: number): Promise<Engine> => {
  let named: unknown;
  const pool = knex({
    client: 'pg',
    connection,
    acquireConnectionTimeout: timeoutMs,
    log: silentLog,
    pool: {
      min: 0,
      max: 1,
      afterCreate: (raw: unknown, done: () => void) => {
        named = processNamedBy(raw);
        done();
      },
    },
  });
  const server = await withPool(pool, readIdentity);
  return { connection, isPooled: server.pid !== named, isDistributed: server.isDistributed };
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

export const detectEngine = (
  connectionString: string,
  statementTimeoutMs: number,
): (() => Promise<Engine>) => {
  let detected: Promise<Engine> | undefined;
  return () => {
    detected ??= detect(connectionString, statementTimeoutMs).catch((error: unknown) => {
      detected = undefined;
      throw error;
    });
    return detected;
  };
};
