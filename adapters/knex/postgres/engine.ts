import knex, { type Knex } from 'knex';
import { Socket } from 'node:net';
import { isUnsupportedStartupParameter } from '../database/database-error';
import { silentLog } from '../database/silent-log';
import { withPool } from '../database/with-pool';
import { sessionLimits } from './session-limits';

/** What answers at a PostgreSQL address. */
export interface Engine {
  /** Whether a connection may bring settings of its own; PgBouncer refuses one that it doesn't know. */
  readonly takesSessionSettings: boolean;
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

/** How to connect with settings of the session, and without; times in milliseconds. */
export const connectionSettings = (connectionString: string, statementTimeout: number) => {
  const timeout = statementTimeout + 500;
  const bare = {
    connectionString,
    keepAlive: true,
    stream: socketWithTimeout(timeout),
    connectionTimeoutMillis: statementTimeout,
    application_name: 'animal-store',
  };
  return { bare, withSession: { ...bare, ...sessionLimits(statementTimeout) }, timeout };
};

type ConnectionSettings = ReturnType<typeof connectionSettings>;

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

const ask = async (
  connection: Knex.PgConnectionConfig,
  timeout: number,
): Promise<Omit<Engine, 'takesSessionSettings'>> => {
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
  return { isPooled: server.pid !== named, isDistributed: server.isDistributed };
};

const learn = async ({ bare, withSession, timeout }: ConnectionSettings): Promise<Engine> => {
  try {
    return { ...(await ask(withSession, timeout)), takesSessionSettings: true };
  } catch (error) {
    if (!isUnsupportedStartupParameter(error)) throw error;
    return { ...(await ask(bare, timeout)), takesSessionSettings: false };
  }
};

/** Learns once what answers, by a connection of its own, when somebody first asks. What fails is tried again. */
export const engineBehind = (settings: ConnectionSettings): (() => Promise<Engine>) => {
  let learned: Promise<Engine> | undefined;
  return () => {
    learned ??= learn(settings).catch((error: unknown) => {
      learned = undefined;
      throw error;
    });
    return learned;
  };
};
