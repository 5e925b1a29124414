import type { Knex } from 'knex';
import type { ListOrder } from '../../../core';
import { hasExpired } from '../database/clock';
import type { RunStatement } from '../database/opened-database';
import {
  type Cell,
  type Column,
  insertedColumns,
  insertedNames,
  petCells,
  type PetRow,
} from '../database/pet-columns';
import type { PageStart, Statements } from '../database/store-database';
import { nameSchemaInSql } from './schema';
import type { SessionFacts } from './sessions';

/** Makes the statements for PostgreSQL or Citus. Reads of animals have the SQL condition `acceptsWritesSql`. */
export const postgresStatements = (acceptsWritesSql: string, facts: () => SessionFacts) => {
  const isDistributed = citusDetector();

  const run = async <Row>(
    knex: Knex,
    { name, sql }: Parameters<RunStatement>[1],
    bindings: ReadonlyArray<Knex.RawBinding>,
    options: { readonly rowMode?: 'array' } = {},
  ): Promise<ReadonlyArray<Row>> => {
    // Sends a query if the pool has had no session, because only a session supplies the facts.
    await isDistributed(knex);
    const { isBehindPooler, schema } = facts();
    const query = knex.raw<{ readonly rows: ReadonlyArray<Row> }>(nameSchemaInSql(sql, schema), bindings);
    const isPrepared = name !== undefined && !isBehindPooler;
    return (await query.options(isPrepared ? { ...options, name } : options)).rows;
  };
  const selectCells: SelectCells = (knex, statement, bindings) =>
    run<PetRow>(knex, statement, bindings, { rowMode: 'array' });
  const single = singleServerStatements(selectCells, acceptsWritesSql);
  const distributed = distributedStatements(selectCells, acceptsWritesSql);
  const variantFor = async (knex: Knex) => ((await isDistributed(knex)) ? distributed : single);
  const statements: Statements = {
    nowSql,
    acceptsWritesSql,
    byIds: (knex, ids) => selectCells(knex, byIds(acceptsWritesSql), [ids.map(String)]),
    pages: async (knex, starts, limit) => (await variantFor(knex)).pages(knex, starts, limit),
    insert: async (knex, newRows) => (await variantFor(knex)).insert(knex, newRows),
    insertKeys: async (knex, keys, ttlMs) => (await variantFor(knex)).insertKeys(knex, keys, ttlMs),
    purgeExpired: async (knex, limit) => (await variantFor(knex)).purgeExpired(knex, limit),
    duringImport: (_knex, work) => work(),
    readLastId: async (knex) => {
      const [row] = await run<{ readonly id: string }>(knex, { sql: lastId }, []);
      return BigInt(row?.id ?? 0);
    },
    setLastId: (knex, id) => run(knex, { sql: `select setval(${sequence}, ?::bigint)` }, [id.toString()]),
    readColumns: (knex, tables) => run(knex, { sql: columnsSql }, [[...tables]]),
    insertFromLocked: async (knex, sql, bindings) =>
      run(knex, { sql: (await isDistributed(knex)) ? sql : `${sql} for update` }, bindings),
  };
  return { statements, run, isDistributed };
};

const citusDetector = () => {
  let server: { readonly isDistributed: boolean } | undefined;
  return async (knex: Knex): Promise<boolean> => {
    server ??= await knex.first<{ readonly isDistributed: boolean }>(
      knex.raw(`to_regclass('pg_catalog.pg_dist_partition') is not null as "isDistributed"`),
    );
    return server.isDistributed;
  };
};

/** Runs a statement that selects texts, and returns its rows as arrays. */
type SelectCells = (...statement: Parameters<RunStatement>) => Promise<ReadonlyArray<PetRow>>;

// Statements that Citus can't run in PostgreSQL's form, or runs slowly.
type CitusVariants = Pick<Statements, 'pages' | 'insert' | 'insertKeys' | 'purgeExpired'>;

// Statements whose text does not depend on the number of rows, so that a connection prepares each only once.
const singleServerStatements = (selectCells: SelectCells, acceptsWritesSql: string): CitusVariants => ({
  pages: async (knex, starts, limit) => {
    const columns = (starts[0]?.filters ?? []).map(([column]) => column);
    const rows = await selectCells(knex, pagesBy(acceptsWritesSql, columns, starts[0]?.order ?? 'asc'), [
      starts.map(({ from }) => from.toString()),
      ...columns.map((_, index) => arrayOf(starts.map(({ filters }) => filters[index]?.[1] ?? null))),
      limit,
    ]);
    const rowsOfPages = starts.map((): Array<PetRow> => []);
    for (const [page, ...row] of rows) rowsOfPages[Number(page) - 1]?.push(row);
    return rowsOfPages;
  },
  insert: (knex, newRows) => {
    const columns = insertedColumns.map((_, index) => arrayOf(newRows.map((cells) => cells[index] ?? null)));
    return selectCells(knex, insertPetsSql, columns);
  },
  insertKeys: (knex, keys, ttlMs) =>
    selectCells(knex, insertKeysSql, [
      ttlMs,
      keys.map(({ owner_id }) => owner_id),
      keys.map(({ idempotency_key }) => idempotency_key),
      keys.map(({ content_hash }) => content_hash),
      keys.map(({ pet_id }) => pet_id),
    ]),
  purgeExpired: async (knex, limit) => (await selectCells(knex, purgeKeys, [limit])).length,
});

const distributedStatements = (selectCells: SelectCells, acceptsWritesSql: string): CitusVariants => ({
  pages: async (knex, starts, limit) => {
    const pages: Array<ReadonlyArray<PetRow>> = [];
    for (const start of starts) pages.push(await readPage(selectCells, acceptsWritesSql, knex, start, limit));
    return pages;
  },
  insert: (knex, newRows) => {
    const row = `(${insertedColumns.map(() => '?').join()}, ${nowSql})`;
    const rows = newRows.map(() => row).join();
    const sql = `insert into {pets} (${insertedNames}) values ${rows} returning ${petCells}`;
    return selectCells(knex, { sql }, newRows.flat());
  },
  insertKeys: async (knex, keys, ttlMs) => {
    const expires_at = knex.raw(`${nowSql} + ?::bigint`, [ttlMs]);
    await knex('idempotency_keys').insert(keys.map((key) => ({ ...key, expires_at })));
  },
  purgeExpired: async (knex, limit) => (await selectCells(knex, purgeDistributedKeys, [limit])).length,
});

/** Wraps an array for use as a query parameter. Knex's TypeScript types permit nulls in an array only in this form. */
const arrayOf = (cells: ReadonlyArray<Cell>) => ({ toPostgres: () => [...cells] });

/**
 * Returns the condition and the `order by` clause for a page of animals with the wanted column values, from the id
 * `from` on. The row comparisons `(column, id) >= (wanted, from)` make the planner use an index that begins with the
 * column. With equalities, the planner may scan the primary key instead.
 */
const pageClauses = (
  columns: ReadonlyArray<string>,
  order: ListOrder,
  from: string,
  wanted: (index: number) => string,
): string => {
  const [follows, precedes] = order === 'asc' ? ['>=', '<='] : ['<=', '>='];
  const values = columns.map((_, index) => wanted(index));
  const ids = [...columns.map((column) => `pets.${column}`), 'pets.id'];
  const start = `(${ids.join()}) ${follows} (${[...values, from].join()})`;
  const end = columns.length === 0 ? '' : ` and (${columns.join()}) ${precedes} (${values.join()})`;
  return `${start}${end} order by ${ids.map((id) => `${id} ${order}`).join()}`;
};

const readPage = (
  selectCells: SelectCells,
  acceptsWritesSql: string,
  knex: Knex,
  { from, order, filters }: PageStart,
  limit: number,
): Promise<ReadonlyArray<PetRow>> => {
  const columns = filters.map(([{ name }]) => name);
  const clauses = pageClauses(columns, order, '?', () => '?');
  const sql = `select ${petCells} from {pets} where ${acceptsWritesSql} and ${clauses} limit ?`;
  const values = filters.map(([, cell]) => cell);
  const bindings = [...values, from.toString(), ...values, limit];
  return selectCells(knex, { name: ['page', order, ...columns].join(' '), sql }, bindings);
};

const pagesBy = (acceptsWritesSql: string, columns: ReadonlyArray<Column>, order: ListOrder) => {
  const names = columns.map(({ name }) => name);
  const types = ['bigint', ...columns.map(({ type }) => type)].map((type) => `?::${type}[]`);
  const starts = ['first', ...columns.map((_, index) => `wanted${index}`), 'page'];
  const clauses = pageClauses(names, order, 'starts.first', (index) => `starts.wanted${index}`);
  return {
    name: ['pages', order, ...names].join(' '),
    sql: `select page, found.* from unnest(${types.join()}) with ordinality as starts(${starts.join()})
       cross join lateral (
         select ${petCells} from {pets} where ${clauses} limit ?
       ) as found
       where ${acceptsWritesSql}`,
  };
};

const byIds = (acceptsWritesSql: string) => ({
  name: 'pets by ids',
  sql: `select ${petCells} from {pets} where ${acceptsWritesSql} and pets.id = any(?::bigint[])`,
});

/**
 * Time by `statement_timestamp`, because Citus permits no volatile function, such as `clock_timestamp`, in the
 * condition of a `delete`.
 */
const nowSql = 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)';

const insertPetsSql = {
  name: 'insert pets',
  sql: `insert into {pets} (${insertedNames}) select *, ${nowSql}
  from unnest(${insertedColumns.map(({ type }) => `?::${type}[]`).join()})
  returning ${petCells}`,
};

const insertKeysSql = {
  name: 'insert keys',
  sql: `insert into {idempotency_keys} (owner_id, idempotency_key, content_hash, pet_id, expires_at)
       select *, ${nowSql} + ?::bigint from unnest(?::text[], ?::text[], ?::text[], ?::bigint[])`,
};

// Skips locked rows, so that it can't deadlock with creates or with purges of other instances.
const purgeKeys = {
  name: 'purge keys',
  sql: `delete from {idempotency_keys} where (owner_id, idempotency_key) in (
         select owner_id, idempotency_key from {idempotency_keys} where ${hasExpired(nowSql)} limit ? for update skip locked
       ) returning 1`,
};

// Citus does not support `skip locked`, so this statement waits for a locked row until `lock_timeout`, and then fails.
const purgeDistributedKeys = {
  name: 'purge distributed keys',
  sql: `delete from {idempotency_keys} where (owner_id, idempotency_key) in (
         select owner_id, idempotency_key from {idempotency_keys} where ${hasExpired(nowSql)} limit ?
       ) and ${hasExpired(nowSql)} returning 1`,
};

const sequence = `pg_get_serial_sequence('{pets}', 'id')`;

/**
 * Takes the greatest id of the table into account, because inserts with explicit ids do not advance the sequence. The
 * last value of an unused sequence is null, which `greatest` ignores.
 */
const lastId = `select greatest(max(id), pg_sequence_last_value(${sequence}::regclass), 0)::text as id from {pets}`;

const columnsSql = `select relname as "table", attname as "column", case
       when atttypid not in ('text'::regtype, 'varchar'::regtype) then format_type(atttypid, null)
       when (select collname from pg_collation where pg_collation.oid = attcollation) = 'C' then 'key' else 'text'
     end as type
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = quote_ident({current_schema})::regnamespace and relname = any(?) and attnum > 0`;
