/*
 * Settings of a PostgreSQL server and rights of its role, which postgres.ts sets or checks. pet-statements.ts calls
 * `checkIds`.
 */

import type { Knex } from 'knex';
import type { Durability, SessionTimeouts } from '../database/database';
import { errorWithCode, permanentError } from '../database/errors';
import { databaseTimeouts } from '../../../core/timeouts';

type Setting = readonly [name: string, value: string];

const settingText = ([name, value]: Setting): string => `${name}=${value}`;

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

export const durabilityOf = async (pool: Knex): Promise<Durability> => {
  const settings = await readServerSettings(pool, 'fsync', 'synchronous_commit');
  return {
    isDurable: settings.get('fsync') === 'on' && settings.get('synchronous_commit') !== 'off',
    text: [...settings].map(settingText).join(', '),
    remedy: 'set both to on',
  };
};

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

/**
 * Reads `lock_timeout` on the nodes of Citus. Each node runs its part of a statement in a session with settings of its
 * own.
 */
const lockTimeoutOnNodes = async (pool: Knex): Promise<ReadonlyArray<Setting>> => {
  const { rows } = await pool.raw<{ readonly rows: ReadonlyArray<{ success: boolean; result: string }> }>(
    `select success, result from run_command_on_all_nodes('select setting from pg_settings where name = ''lock_timeout''')`,
  );
  return rows.map(({ success, result }) => ['lock_timeout', success ? result : '0']);
};

const isKept = (milliseconds: number, wantedMs: number): boolean =>
  milliseconds > 0 && milliseconds <= wantedMs;

export const sessionTimeoutsOf = async (
  pool: Knex,
  isDistributed: boolean,
  statementTimeoutMs: number,
): Promise<SessionTimeouts> => {
  const wanted: Readonly<Record<string, number>> = sessionTimeouts(statementTimeoutMs);
  const here = await readServerSettings(pool, ...Object.keys(wanted));
  const onNodes = isDistributed ? await lockTimeoutOnNodes(pool) : [];
  const missing = Object.entries(wanted).filter(([name, wantedMs]) =>
    [...here, ...onNodes].some(([other, value]) => other === name && !isKept(Number(value), wantedMs)),
  );
  const texts = [...[...here].map(settingText), ...onNodes.map((one) => `${settingText(one)} on a node`)];
  return {
    areKept: missing.length === 0,
    text: [...new Set(texts)].sort().join(', '),
    remedy: missing
      .map(([name, wantedMs]) => `alter role current_user set ${name} = '${wantedMs}ms'`)
      .join('; '),
  };
};

/**
 * Rights that a running service needs on each table, for `doctor` to check. On `creation_keys`, a row lock needs the
 * right `update`.
 */
const neededRights: Readonly<Record<string, ReadonlyArray<string>>> = {
  pets: ['select', 'insert'],
  creation_keys: ['select', 'insert', 'update', 'delete'],
  api_keys: ['select'],
  heartbeats: ['select', 'insert', 'update'],
  animal_store_migrations: ['select'],
};

const neededRightsToCount = { rate_limits: ['select', 'insert', 'update', 'delete'] };

/** Reads whether the role can take ids from the sequence of `pets`. Returns undefined if `pets` has no sequence. */
const readIdSequence = async (knex: Knex) => {
  type Row = Readonly<Record<'role' | 'name', string> & Record<'isAllowed' | 'isExhausted', boolean | null>>;
  const { rows } = await knex.raw<{ readonly rows: ReadonlyArray<Row> }>(
    `select quote_ident(current_user) as role, seqrelid::regclass::text as name,
       has_sequence_privilege(seqrelid, 'usage, update') as "isAllowed",
       case when has_sequence_privilege(seqrelid, 'usage, select')
         then pg_sequence_last_value(seqrelid) > seqmax - seqincrement end as "isExhausted"
     from pg_sequence where seqrelid = pg_get_serial_sequence('pets', 'id')::regclass`,
  );
  return rows[0];
};

export const missingGrants = async (pool: Knex, countsRequests: boolean): Promise<ReadonlyArray<string>> => {
  const rights = Object.entries({ ...neededRights, ...(countsRequests ? neededRightsToCount : {}) }).flatMap(
    ([name, ofTable]) => ofTable.map((right) => ({ name, right })),
  );
  const { rows } = await pool.raw<{
    readonly rows: ReadonlyArray<Record<'role' | 'name' | 'right', string>>;
  }>(
    `select quote_ident(current_user) as role, name, string_agg("right", ', ' order by place) as "right"
     from unnest(?::text[], ?::text[]) with ordinality as needed(name, "right", place)
     where to_regclass(name) is not null and not case "right"
       when 'delete' then has_table_privilege(to_regclass(name), "right")
       else has_any_column_privilege(to_regclass(name), "right") end
     group by name order by min(place)`,
    [rights.map(({ name }) => name), rights.map(({ right }) => right)],
  );
  const sequence = await readIdSequence(pool);
  return [
    ...rows.map(({ role, name, right }) => `grant ${right} on ${name} to ${role}`),
    ...(sequence?.isAllowed === false
      ? [`grant usage on sequence ${sequence.name} to ${sequence.role}`]
      : []),
  ];
};

/**
 * Checks that the role can take ids from the sequence of `pets`. The trial insert of the health checks does not use the
 * sequence, so it does not notice a missing right or an exhausted sequence.
 */
export const checkIds = async (knex: Knex): Promise<void> => {
  const sequence = await readIdSequence(knex);
  if (sequence?.isAllowed === false)
    throw errorWithCode('42501', `permission denied for sequence ${sequence.name}`);
  if (sequence?.isExhausted === true) throw errorWithCode('2200H', `sequence ${sequence.name} is exhausted`);
};
