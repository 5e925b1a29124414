import type { Knex } from 'knex';
import { TLSSocket } from 'node:tls';
import { callbackify } from 'node:util';
import { readOnlyServerError, rowSecurityError } from '../database/errors';
import { silentLog } from '../database/pool';
import { storeTables } from '../database/tables';
import { type PostgresTimeouts, postgresTimeouts } from '../database/timeouts';
import { migrationConfig } from '../migrations/migrations';
import { type ConnectionString, connectionWith, currentAddress } from './connection-string';
import { findSchema, setsSearchPath, textLiteral } from './schema';
import { setTimeouts } from './server-settings';
import { type Session, type SessionFacts, type Sessions, socketWithTimeout } from './sessions';

export interface PostgresOptions {
  readonly poolSize: number;
  /** Maximum time of a statement, by default 3 s. Above 4 s, statements may run on after their calls fail. */
  readonly statementTimeoutMs?: number;
}

export const postgresConfiguration = (
  connectionString: ConnectionString,
  options: PostgresOptions,
  sessions: Sessions,
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
      // Varies the lifetimes, so that the sessions do not all reconnect at once.
      maxConnectionLifetimeJitterMillis: timeouts.lifetimeMs / 4,
      afterCreate: callbackify(async (session: Session) => {
        try {
          const facts = await prepareSession(session, timeouts, currentAddress(connectionString));
          await sessions.admit(session, facts);
        } catch (error) {
          // Ends the session, because Knex drops a connection whose preparation fails, but leaves its session open.
          await session.end();
          throw error;
        }
      }),
      validate: sessions.isUsable,
    },
  };
};

const sharedConfiguration = ({ statementTimeoutMs }: PostgresOptions): Knex.Config => ({
  client: 'pg',
  acquireConnectionTimeout: postgresTimeouts(statementTimeoutMs).silenceMs,
  log: silentLog,
  migrations: migrationConfig,
});

/**
 * Prepares a new session, and rejects if the server accepts no writes. Sets the session's timeouts, except behind a
 * pooler, where they would apply to other clients of the pooler too. Recognises a pooler by its made-up process id,
 * which differs from the server's.
 */
const prepareSession = async (
  session: Session,
  timeouts: PostgresTimeouts,
  address: string,
): Promise<SessionFacts> => {
  const { rows } = await session.query<{ readonly pid: number; readonly isReadOnly: boolean }>(
    `select pg_backend_pid() as pid, current_setting('transaction_read_only') = 'on' as "isReadOnly"`,
  );
  if (rows[0]?.isReadOnly === true) throw readOnlyServerError();
  const isBehindPooler = rows[0]?.pid !== session.processID;
  if (!isBehindPooler) await session.query(`${setTimeouts(timeouts, 'session')}; set row_security = off`);
  const schema = isBehindPooler ? await findSchema(session) : undefined;
  if (schema !== undefined) await refuseHiddenRows(session, schema);
  return {
    isBehindPooler,
    schema: setsSearchPath(address) ? undefined : schema,
    certificateExpirySeconds: certificateExpiryOf(session),
  };
};

const refuseHiddenRows = async (session: Session, schema: string): Promise<void> => {
  const { rows } = await session.query<{ readonly name: string }>(
    `select relname as name from pg_class
     where relnamespace = (select oid from pg_namespace where nspname = ${textLiteral(schema)})
       and relname in (${storeTables.map(textLiteral).join()}) and row_security_active(oid)`,
  );
  if (rows.length > 0) throw rowSecurityError(rows.map(({ name }) => name));
};

const certificateExpiryOf = ({ connection: { stream } }: Session): number | undefined =>
  stream instanceof TLSSocket ? Date.parse(stream.getPeerCertificate().valid_to) / 1_000 : undefined;

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
