import type { Knex } from 'knex';
import type { ConnectionRoom, DatabaseFinding, RunStatement } from '../database/opened-database';
import { DatabaseError, DiagnosedError } from '../database/errors';
import { databaseTimeouts, type PostgresTimeouts } from '../database/timeouts';
import type { SessionFacts } from './sessions';

/** Rejects if the database can't store all of Unicode. */
export const requireEncoding = async (pool: Knex): Promise<void> => {
  const { encoding } = await pool.first<{ readonly encoding: string }>(
    pool.raw(`current_setting('server_encoding') as encoding`),
  );
  if (encoding === 'UTF8') return;
  throw new DiagnosedError(
    `the encoding ${encoding} can't store every text; create the database with \`create database ... encoding 'UTF8' template template0\``,
  );
};

/**
 * Returns findings about a server. Behind a pooler, leaves out the ConnectionRoom, because the pooler itself limits its
 * connections to the server.
 */
export const inspectServer = async (
  pool: Knex,
  run: RunStatement,
  facts: SessionFacts,
  limits: StatementLimits,
  poolSize: number,
): Promise<ReadonlyArray<DatabaseFinding | ConnectionRoom>> => [
  await describeConnection(pool, run),
  await inspectSettings(pool, limits),
  ...(await inspectCollation(pool)),
  ...(facts.isBehindPooler ? [] : [await readConnectionRoom(pool, poolSize)]),
  ...inspectCertificate(facts.certificateExpirySeconds),
];

type StatementLimits = Pick<PostgresTimeouts, 'statementMs' | 'lockMs'>;

// Settings in milliseconds, where 0 means no limit. The last one, `transaction_timeout`, exists since PostgreSQL 17.
const sessionSettings = ({
  statementMs,
  lockMs,
}: StatementLimits): ReadonlyArray<readonly [string, number]> => [
  ['statement_timeout', statementMs],
  ['lock_timeout', lockMs],
  ['idle_in_transaction_session_timeout', databaseTimeouts.idleInTransactionMs],
  ['transaction_timeout', 0],
];

/** Returns a statement that sets time limits for a session or transaction, except those unknown to the server. */
export const setTimeouts = (limits: StatementLimits, scope: 'session' | 'transaction'): string => {
  const rows = sessionSettings(limits).map(([name, ms]) => `('${name}', '${ms}')`);
  return `select set_config(name, ms, ${scope === 'transaction'}) from (values ${rows.join()}) as timeouts (name, ms)
    where current_setting(name, true) is not null`;
};

const isAsWanted = (setting: string | undefined, ms: number): boolean =>
  ms === 0 ? Number(setting ?? 0) === 0 : Number(setting) > 0 && Number(setting) <= ms;

interface Connected {
  readonly role: string;
  readonly schema: string | null;
  readonly isEncrypted: boolean | null;
}

/**
 * Describes a connection. Behind a pooler, TLS refers to the connection from the pooler to the server. Rejects if no
 * schema is selected.
 */
const describeConnection = async (pool: Knex, run: RunStatement): Promise<DatabaseFinding> => {
  const [connected] = await run<Connected>(
    pool,
    {
      sql: `select current_user as role, {current_schema} as schema,
        (select ssl from pg_stat_ssl where pid = pg_backend_pid()) as "isEncrypted"`,
    },
    [],
  );
  // Uses PostgreSQL's code for a `create table` without a selected schema.
  if (typeof connected?.schema !== 'string') throw new DatabaseError('3F000', 'no schema has been selected');
  const text = `role ${connected.role}, schema ${connected.schema}, ${connected.isEncrypted === true ? 'with' : 'without'} TLS`;
  return { check: 'connection', severity: 'passed', text };
};

const expiryWarningDays = 14;

const inspectCertificate = (expirySeconds: number | undefined): ReadonlyArray<DatabaseFinding> => {
  if (expirySeconds === undefined || expirySeconds * 1_000 - Date.now() > expiryWarningDays * 86_400_000)
    return [];
  const text = `the certificate of the server expires on ${new Date(expirySeconds * 1_000).toISOString()}; renew it`;
  return [{ check: 'server', severity: 'warning', text }];
};

interface Setting {
  readonly name: string;
  readonly setting: string;
}

/**
 * Checks that the server loses no commit in a crash, and that the session has timeouts, which the service can't set
 * through a connection pooler.
 */
const inspectSettings = async (pool: Knex, limits: StatementLimits): Promise<DatabaseFinding> => {
  const timeouts = sessionSettings(limits);
  const { rows } = await pool.raw<{ readonly rows: ReadonlyArray<Setting> }>(
    'select name, setting from pg_settings where name = any(?) order by name',
    [['fsync', 'synchronous_commit', ...timeouts.map(([name]) => name)]],
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const isDurable = settings.get('fsync') === 'on' && settings.get('synchronous_commit') !== 'off';
  const remedies = timeouts
    .filter(([name, ms]) => !isAsWanted(settings.get(name), ms))
    .map(([name, ms]) => `alter role current_user set ${name} = '${ms}ms'`);
  const faults = [
    ...(isDurable ? [] : ['a crash can lose animals; set fsync and synchronous_commit to on']),
    ...(remedies.length === 0
      ? []
      : [
          `an instance that hangs can block other requests, or long work can fail; run: ${remedies.join('; ')}`,
        ]),
  ];
  const text = rows.map(({ name, setting }) => `${name}=${setting}`).join(', ');
  return {
    check: 'server',
    severity: faults.length === 0 ? 'passed' : 'failed',
    text: [text, ...faults].join('; '),
  };
};

/**
 * Returns a warning if the collation has changed since the indexes were built. PostgreSQL before version 15 does not
 * record this.
 */
const inspectCollation = async (pool: Knex): Promise<ReadonlyArray<DatabaseFinding>> => {
  const { name, built } = await pool.first<{ readonly name: string; readonly built: string | null }>(
    pool.raw(`quote_ident(datname) as name, to_jsonb(pg_database) ->> 'datcollversion' as built
      from pg_database where datname = current_database()`),
  );
  if (built === null) return [];
  const { actual } = await pool.first<{ readonly actual: string | null }>(
    pool.raw(
      'pg_database_collation_actual_version(oid) as actual from pg_database where datname = current_database()',
    ),
  );
  if (actual === built) return [];
  const text = `the order of texts was version ${built} when the indexes were built, and is ${actual ?? 'unknown'} now; run: reindex database ${name}; alter database ${name} refresh collation version`;
  return [{ check: 'server', severity: 'warning', text }];
};

const readConnectionRoom = async (pool: Knex, poolSize: number): Promise<ConnectionRoom> => {
  const connections = await pool.first<Pick<ConnectionRoom, 'limit' | 'reserved' | 'heldByOthers'>>(
    pool.raw(`current_setting('max_connections')::int as "limit",
      (select sum(setting::int)::int from pg_settings
        where name in ('superuser_reserved_connections', 'reserved_connections')) as reserved,
      (select count(*)::int from pg_stat_activity where usesysid is not null and datid is not null
        and (datname, application_name) <> (current_database(), current_setting('application_name'))) as "heldByOthers"`),
  );
  return { check: 'room', ...connections, poolSize };
};
