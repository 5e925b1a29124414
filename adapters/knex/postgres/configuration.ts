import type { Knex } from 'knex';
import { callbackify } from 'node:util';
import { silentLog } from '../database/pool';
import { postgresTimeouts } from '../database/timeouts';
import { migrationConfig } from '../migrations/migrations';
import { type ConnectionString, connectionWith, currentAddress } from './connection-string';
import { prepareSession } from './prepare-session';
import type { SessionFacts } from './run-statement';
import { registerSessions, type Session, type Sessions, socketWithTimeout } from './sessions';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Maximum time of a statement, by default 3 s. Above 4 s, statements may run on after their calls fail. */
  readonly statementTimeoutMs?: number;
}

export const sessionsOf = ({ poolSize, statementTimeoutMs }: PostgresOptions): Sessions =>
  registerSessions(postgresTimeouts(statementTimeoutMs).silenceMs, poolSize);

const sharedConfiguration = ({ statementTimeoutMs }: PostgresOptions): Knex.Config => ({
  client: 'pg',
  acquireConnectionTimeout: postgresTimeouts(statementTimeoutMs).silenceMs,
  log: silentLog,
  migrations: migrationConfig,
});

export const postgresConfiguration = (
  connectionString: ConnectionString,
  options: PostgresOptions,
  sessions: Sessions = sessionsOf(options),
  onConnection: (facts: SessionFacts) => void = () => undefined,
): Knex.Config => {
  const timeouts = postgresTimeouts(options.statementTimeoutMs);
  return {
    ...sharedConfiguration(options),
    connection: connectionWith(
      connectionString,
      {
        keepAlive: true,
        stream: socketWithTimeout(timeouts.silenceMs),
        connectionTimeoutMillis: timeouts.statementMs,
        application_name: 'animal-store',
      },
      sessions.retireAll,
    ),
    pool: {
      min: 0,
      max: options.poolSize,
      idleTimeoutMillis: timeouts.statementMs,
      reapIntervalMillis: 250,
      maxConnectionLifetimeMillis: timeouts.lifetimeMs,
      // Lifetimes differ, so that not all sessions reconnect at once.
      maxConnectionLifetimeJitterMillis: timeouts.lifetimeMs / 4,
      afterCreate: callbackify(async (session: Session) => {
        try {
          const facts = await prepareSession(session, timeouts);
          onConnection(facts);
          await sessions.admit(session, facts.isBehindPooler);
        } catch (error) {
          // Knex drops a connection whose preparation fails, but leaves its session open.
          await session.end();
          throw error;
        }
      }),
      validate: sessions.isUsable,
    },
  };
};

/** Returns the configuration of a pool without time limits for statements, because a migration may take long. */
export const postgresMigrationConfiguration = (
  connectionString: ConnectionString,
  options: PostgresOptions,
): Knex.Config => ({
  ...sharedConfiguration(options),
  connection: {
    connectionString: currentAddress(connectionString),
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: postgresTimeouts(options.statementTimeoutMs).statementMs,
    application_name: 'animal-store migration',
  },
  pool: { min: 0, max: 1 },
});
