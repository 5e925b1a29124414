import type { Knex } from 'knex';
import { callbackify } from 'node:util';
import { silentLog } from '../database/pool';
import { databaseTimeouts } from '../database/timeouts';
import { migrationConfig } from '../migrations/migrations';
import { prepareConnection } from './prepare-connection';
import type { SessionFacts } from './run-statement';
import { registerSessions, type Session, type Sessions, socketWithTimeout } from './sessions';
import { connectionWith, type PostgresDatabaseUrl } from './url';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Maximum time of a statement, by default 3 s. With over 4 s, statements run on after their calls have failed. */
  readonly statementTimeoutMs?: number;
}

export const statementTimeoutOf = ({
  statementTimeoutMs = databaseTimeouts.statementMs,
}: PostgresOptions): number => statementTimeoutMs;

/** Minimum lifetime of a session, as a multiple of the statement timeout: 4 minutes for a timeout of 3 s. */
const lifetimeInStatements = 80;

const silenceMsOf = (options: PostgresOptions): number =>
  statementTimeoutOf(options) + databaseTimeouts.outerMarginMs;

export const sessionsOf = (options: PostgresOptions): Sessions =>
  registerSessions(silenceMsOf(options), options.poolSize);

export const postgresConfiguration = (
  url: PostgresDatabaseUrl,
  options: PostgresOptions,
  sessions: Sessions = sessionsOf(options),
  onConnection: (facts: SessionFacts) => void = () => undefined,
): Knex.Config => {
  const { poolSize } = options;
  const statementTimeoutMs = statementTimeoutOf(options);
  const timeoutMs = silenceMsOf(options);
  const lifetimeMs = lifetimeInStatements * statementTimeoutMs;
  return {
    client: 'pg',
    connection: connectionWith(
      url,
      {
        keepAlive: true,
        stream: socketWithTimeout(timeoutMs),
        connectionTimeoutMillis: statementTimeoutMs,
        application_name: 'animal-store',
      },
      sessions.retireAll,
    ),
    acquireConnectionTimeout: timeoutMs,
    pool: {
      min: 0,
      max: poolSize,
      idleTimeoutMillis: statementTimeoutMs,
      reapIntervalMillis: 250,
      // After a failover, an open session may still work but lead to the former primary. Lifetimes differ, so that not
      // all sessions reconnect at once.
      maxConnectionLifetimeMillis: lifetimeMs,
      maxConnectionLifetimeJitterMillis: lifetimeMs / 4,
      afterCreate: callbackify(async (connection: Session) => {
        try {
          const facts = await prepareConnection(connection, statementTimeoutMs);
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
