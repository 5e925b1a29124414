/* Settings of a PostgreSQL server that postgres.ts sets for its sessions or checks. */

import type { Knex } from 'knex';
import type { Finding } from '../database/database';
import { permanentError } from '../database/errors';
import { databaseTimeouts } from '../timeouts';

const readSettings = async (pool: Knex, ...names: ReadonlyArray<string>) => {
  const rows = await pool('pg_settings')
    .whereIn('name', names)
    .orderBy('name')
    .select<ReadonlyArray<{ readonly name: string; readonly setting: string }>>('name', 'setting');
  return {
    values: new Map(rows.map(({ name, setting }) => [name, setting])),
    text: rows.map(({ name, setting }) => `${name}=${setting}`).join(', '),
  };
};

export const checkEncoding = async (pool: Knex): Promise<void> => {
  const { values } = await readSettings(pool, 'server_encoding');
  const encoding = values.get('server_encoding') ?? '';
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

const inspectConnection = async (pool: Knex, isEncrypted: boolean): Promise<Finding> => {
  const { role, schema } = await pool.first<{ readonly role: string; readonly schema: string | null }>(
    pool.raw('current_user as role, current_schema() as schema'),
  );
  const text = `role ${role}, schema ${schema ?? 'none'}, ${isEncrypted ? 'with' : 'without'} TLS`;
  return { check: 'connection', ok: true, text };
};

const inspectDurability = async (pool: Knex): Promise<Finding> => {
  const { values, text } = await readSettings(pool, 'fsync', 'synchronous_commit');
  const ok = values.get('fsync') === 'on' && values.get('synchronous_commit') !== 'off';
  return {
    check: 'durability',
    ok,
    text: ok ? text : `${text} can lose stored animals; set both to on`,
  };
};

/** Checks the session timeouts, because the service can't set them through a connection pooler. */
const inspectTimeouts = async (pool: Knex, statementTimeoutMs: number): Promise<Finding> => {
  const wanted = Object.entries(sessionTimeouts(statementTimeoutMs));
  const { values, text } = await readSettings(pool, ...wanted.map(([name]) => name));
  const missing = wanted.filter(([name, ms]) => {
    const found = Number(values.get(name));
    return found === 0 || found > ms;
  });
  const statements = missing.map(([name, ms]) => `alter role current_user set ${name} = '${ms}ms'`);
  return {
    check: 'timeouts',
    ok: missing.length === 0,
    text:
      missing.length === 0
        ? text
        : `${text}; if a timeout is 0 or too long, an instance that hangs can block other requests; run: ${statements.join('; ')}`,
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
