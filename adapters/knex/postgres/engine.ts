import knex, { type Knex } from 'knex';
import { Socket } from 'node:net';
import { isUnsupportedStartupParameter } from '../database/database-error';
import { silentLog } from '../database/silent-log';
import { withPool } from '../database/with-pool';
import { sessionLimits } from './session-limits';

/** What answers at a PostgreSQL address. */
export interface Engine {
  /** How to connect to it: with settings of the session, unless it is a pooler that refuses them. */
  readonly connection: Knex.PgConnectionConfig;
  /** Whether a pooler stands between, which may give each statement to another connection of the server. */
  readonly isPooled: boolean;
  /** Whether it is Citus, where rows may be on other servers. */
  readonly isDistributed: boolean;
}

/**
 * A connection that is silent for longer than any statement may take is dropped: its query hangs, or a network swallows
 * its packets, and the next query would wait behind that one. By an error the pool knows at once that it is gone.
 */
const socketWithTimeout = (timeoutMs: number) => (): Socket => {
  const socket = new Socket();
  return socket.setTimeout(timeoutMs, () =>
    socket.destroy(new Error('the database connection was silent for too long')),
  );
};

/** Asks which process of the server answers, and for Citus's catalogue. */
const readIdentity = (pool: Knex) =>
  pool.first<{ readonly pid: number; readonly isDistributed: boolean }>(
    pool.raw('pg_backend_pid() as pid'),
    pool.raw(`to_regclass('pg_catalog.pg_dist_partition') is not null as "isDistributed"`),
  );

/** Whether Citus answers to this pool, or in this transaction. */
export const isDistributed = async (pool: Knex): Promise<boolean> => (await readIdentity(pool)).isDistributed;

/** A server names its process at the start of a connection; a pooler makes up a number. */
const processNamedBy = (connection: unknown): unknown =>
  typeof connection === 'object' && connection !== null ? Reflect.get(connection, 'processID') : undefined;

const ask = async (connection: Knex.PgConnectionConfig, timeout: number): Promise<Engine> => {
  let named: unknown;
  const pool = knex({
    client: 'pg',
    connection,
    acquireConnectionTimeout: timeout,
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

const learn = async (connectionString: string, statementTimeout: number): Promise<Engine> => {
  const timeout = statementTimeout + 500;
  const bare = {
    connectionString,
    keepAlive: true,
    stream: socketWithTimeout(timeout),
    connectionTimeoutMillis: statementTimeout,
    application_name: 'animal-store',
  };
  try {
    return await ask({ ...bare, ...sessionLimits(statementTimeout) }, timeout);
  } catch (error) {
    if (!isUnsupportedStartupParameter(error)) throw error;
    return ask(bare, timeout);
  }
};

/**
 * Learns once what answers, by a connection of its own, when somebody first asks. What fails is tried again. No statement
 * takes longer than its timeout, in milliseconds.
 */
export const engineBehind = (connectionString: string, statementTimeout: number): (() => Promise<Engine>) => {
  let learned: Promise<Engine> | undefined;
  return () => {
    learned ??= learn(connectionString, statementTimeout).catch((error: unknown) => {
      learned = undefined;
      throw error;
    });
    return learned;
  };
};
