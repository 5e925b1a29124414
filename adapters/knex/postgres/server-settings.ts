/* Settings of a PostgreSQL server that postgres.ts sets for its sessions or checks. */

import type { Knex } from 'knex';
import type { Finding } from '../database/database';
import { permanentError } from '../database/errors';
import { databaseTimeouts } from '../timeouts';

const readServerSettings = async (
  pool: Knex,
  ...names: ReadonlyArray<string>
): Promise<ReadonlyMap<string, string>> => {
  const rows = await pool('pg_settings')
    .whereIn('name', names)
    .orderBy('name')
    .select<ReadonlyArray<{ readonly name: string; readonly setting: string }>>('name', 'setting');
  return new Map(rows.map(({ name, setting }) => [name, setting]));
};

const textOf = (settings: ReadonlyMap<string, string>): string =>
  [...settings].map(([name, value]) => `${name}=${value}`).join(', ');

export const checkEncoding = async (pool: Knex): Promise<void> => {
  const encoding = (await readServerSettings(pool, 'server_encoding')).get('server_encoding') ?? '';
  if (encoding === 'UTF8') return;
  throw permanentError(
    `the encoding ${encoding} can't store every text; create the database with \`create database ... encoding 'UTF8' template template0\``,
  );
};

export const sessionTimeouts = (statementTimeoutMs: number) => ({
  statement_timeout: statementTimeoutMs,
  // A third of `statement_timeout`: if a create waits for a locked row, the rest of its batch still has time.
  lock_timeout: Math.ceil(statementTimeoutMs / 3),
  idle_in_transaction_session_timeout: databaseTimeouts.idleInTransactionMs,
});

const inspectDurability = async (pool: Knex): Promise<Finding> => {
  const settings = await readServerSettings(pool, 'fsync', 'synchronous_commit');
  const ok = settings.get('fsync') === 'on' && settings.get('synchronous_commit') !== 'off';
  const text = textOf(settings);
  return {
    check: 'durability',
    ok,
    text: ok ? text : `${text} can lose stored animals; set both to on`,
  };
};

/** Checks the session timeouts, because the service can't set them through a connection pooler. */
const inspectTimeouts = async (pool: Knex, statementTimeoutMs: number): Promise<Finding> => {
  const wanted: Readonly<Record<string, number>> = sessionTimeouts(statementTimeoutMs);
  const found = await readServerSettings(pool, ...Object.keys(wanted));
  const isKept = (value: number, wantedMs: number): boolean => value > 0 && value <= wantedMs;
  const missing = Object.entries(wanted).filter(
    ([name, wantedMs]) => !isKept(Number(found.get(name)), wantedMs),
  );
  const statements = missing.map(
    ([name, wantedMs]) => `alter role current_user set ${name} = '${wantedMs}ms'`,
  );
  return {
    check: 'timeouts',
    ok: missing.length === 0,
    text:
      missing.length === 0
        ? textOf(found)
        : `${textOf(found)}; if a timeout is 0 or too long, an instance that hangs can block other requests; run: ${statements.join('; ')}`,
  };
};

const inspectConnection = async (pool: Knex, isEncrypted: boolean): Promise<Finding> => {
  const found = await pool.first<{ readonly role: string; readonly schema: string | null }>(
    pool.raw('current_user as role, current_schema() as schema'),
  );
  const schema = found.schema === null ? 'no schema' : `schema ${found.schema}`;
  return {
    check: 'connection',
    ok: true,
    text: `role ${found.role}, ${schema}, ${isEncrypted ? 'with' : 'without'} TLS`,
  };
};

export const inspectServer = async (
  pool: Knex,
  isEncrypted: boolean,
  statementTimeoutMs: number,
): Promise<ReadonlyArray<Finding>> => [
  await inspectConnection(pool, isEncrypted),
  await inspectDurability(pool),
  await inspectTimeouts(pool, statementTimeoutMs),
];
