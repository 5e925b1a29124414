import type { Knex } from 'knex';
import { callbackify } from 'node:util';
import { silentLog } from '../database/pool';
import { postgresTimeouts } from '../database/timeouts';
import { migrationConfig } from '../migrations/migrations';
import { prepareConnection } from './prepare-connection';
import type { SessionFacts } from './run-statement';
import { registerSessions, type Session, type Sessions, socketWithTimeout } from './sessions';
import { connectionWith, type PostgresDatabaseUrl } from './connection-string';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Maximum time of a statement, by default 3 s. With over 4 s, statements run on after their calls have failed. */
  readonly statementTimeoutMs?: number;
}

export const sessionsOf = ({ poolSize, statementTimeoutMs }: PostgresOptions): Sessions =>
  registerSessions(postgresTimeouts(statementTimeoutMs).silenceMs, poolSize);

export const postgresConfiguration = (
  url: PostgresDatabaseUrl,
  options: PostgresOptions,
  sessions: Sessions = sessionsOf(options),
  onConnection: (facts: SessionFacts) => void = () => undefined,
): Knex.Config => {
  const timeouts = postgresTimeouts(options.statementTimeoutMs);
  const { statementMs, silenceMs, lifetimeMs } = timeouts;
  return {
    client: 'pg',
    connection: connectionWith(
      url,
      {
        keepAlive: true,
        stream: socketWithTimeout(silenceMs),
        connectionTimeoutMillis: statementMs,
        application_name: 'animal-store',
      },
      sessions.retireAll,
    ),
    acquireConnectionTimeout: silenceMs,
    pool: {
      min: 0,
      max: options.poolSize,
      idleTimeoutMillis: statementMs,
      reapIntervalMillis: 250,
      maxConnectionLifetimeMillis: lifetimeMs,
      // Lifetimes differ, so that not all sessions reconnect at once.
      maxConnectionLifetimeJitterMillis: lifetimeMs / 4,
      afterCreate: callbackify(async (connection: Session) => {
        try {
          const facts = await prepareConnection(connection, timeouts);
          onConnection(facts);
          await sessions.admit(connection, facts.isBehindPooler);
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
