/*
 * Settings of a PostgreSQL server and rights of its role, which postgres.ts sets or checks. pet-statements.ts calls
 * `checkIds`.
 */

import type { Knex } from 'knex';
import type { Durability, GrantOptions, SessionTimeouts } from '../database/database';
import { errorWithCode, permanentError } from '../database/errors';
import { databaseTimeouts } from '../timeouts';

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

type Rights = Readonly<Record<string, ReadonlyArray<string>>>;

/**
 * Rights that a running service needs on each table, for `doctor` to check. On `creation_keys`, a row lock needs the
 * right `update`.
 */
const neededRights: Rights = {
  pets: ['select', 'insert'],
  creation_keys: ['select', 'insert', 'update', 'delete'],
  api_keys: ['select'],
  heartbeats: ['select', 'insert', 'update'],
  animal_store_migrations: ['select'],
};

const neededRightsToCount: Rights = { rate_limits: ['select', 'insert', 'update', 'delete'] };

const neededRightsForFirstKey: Rights = { api_keys: ['insert'], setup_lock: ['select', 'update'] };

/**
 * Finds the schema of the store, its tables and their sequences in the catalogue, which needs no rights. If the role
 * may use no schema of the search path, `current_schema()` is null. The size of `api_keys` tells if a key was ever
 * issued. It is 0 if Citus has distributed the table.
 */
const grantsQuery = `
  with store as (
    select n.oid, nspname, case nspname when 'public' then '' else quote_ident(nspname) || '.' end as prefix
    from pg_namespace n join pg_class on relnamespace = n.oid and relname = 'animal_store_migrations'
    where nspname = current_schema() or current_schema() is null and nspname = any(string_to_array(
      replace(translate(current_setting('search_path'), ' "', ''), '$user', current_user), ','))
  ), needed as (
    select c.oid, prefix || quote_ident(relname) as name, "right", place
    from unnest(?::text[], ?::text[], ?::boolean[]) with ordinality as listed(name, "right", is_for_key, place), store
    join pg_class c on relnamespace = store.oid
    where relname = listed.name and not (is_for_key and exists (
      select 1 from pg_class k
      where k.relnamespace = store.oid and k.relname = 'api_keys' and pg_relation_size(k.oid) > 0))
  ), missing as (
    select 0 as place, 'usage on schema ' || quote_ident(nspname) as what
    from store where not has_schema_privilege(oid, 'usage')
    union all
    select min(place), string_agg("right", ', ' order by place) || ' on ' || name
    from needed where not case "right"
      when 'delete' then has_table_privilege(oid, "right") else has_any_column_privilege(oid, "right") end
    group by name
    union all
    select 1000, 'usage on sequence ' || prefix || quote_ident(relname)
    from needed join pg_depend on refobjid = needed.oid and refclassid = 'pg_class'::regclass
    join pg_class s on s.oid = objid and classid = 'pg_class'::regclass, store
    where "right" = 'insert' and case relkind
      when 'S' then not has_sequence_privilege(objid, 'usage, update') else false end
  )
  select format('grant %s to %I;', what, current_user) as statement from missing order by place, what`;

export const missingGrants = async (
  pool: Knex,
  { countsRequests, createsFirstKey }: GrantOptions,
): Promise<ReadonlyArray<string>> => {
  const rights = [
    neededRights,
    ...(countsRequests ? [neededRightsToCount] : []),
    ...(createsFirstKey ? [neededRightsForFirstKey] : []),
  ].flatMap((byTable) =>
    Object.entries(byTable).flatMap(([name, ofTable]) =>
      ofTable.map((right) => ({ name, right, isForKey: byTable === neededRightsForFirstKey })),
    ),
  );
  const { rows } = await pool.raw<{ readonly rows: ReadonlyArray<{ readonly statement: string }> }>(
    grantsQuery,
    [
      rights.map(({ name }) => name),
      rights.map(({ right }) => right),
      rights.map(({ isForKey }) => isForKey),
    ],
  );
  return rows.map(({ statement }) => statement);
};

/**
 * Checks that the role can take ids from the sequence of `pets`. The trial insert of the health checks does not use the
 * sequence, so it does not notice a missing right or an exhausted sequence.
 */
export const checkIds = async (knex: Knex): Promise<void> => {
  type Row = { readonly name: string } & Readonly<Record<'isAllowed' | 'isExhausted', boolean | null>>;
  const { rows } = await knex.raw<{ readonly rows: ReadonlyArray<Row> }>(
    `select seqrelid::regclass::text as name, has_sequence_privilege(seqrelid, 'usage, update') as "isAllowed",
       case when has_sequence_privilege(seqrelid, 'usage, select')
         then pg_sequence_last_value(seqrelid) > seqmax - seqincrement end as "isExhausted"
     from pg_sequence where seqrelid = pg_get_serial_sequence('pets', 'id')::regclass`,
  );
  const [sequence] = rows;
  if (sequence?.isAllowed === false)
    throw errorWithCode('42501', `permission denied for sequence ${sequence.name}`);
  if (sequence?.isExhausted === true) throw errorWithCode('2200H', `sequence ${sequence.name} is exhausted`);
};
