import type { Knex } from 'knex';
import type { ListOrder } from '../../../core';
import { type Column, insertedColumns, petCells, type PetRow } from '../database/pet-columns';
import type { PageStart, Statement, Statements } from '../database/store-database';
import { hasTable, readColumns, readMissingRights } from './catalog';
import {
  arrayOf,
  optionsFor,
  qualifier,
  type Qualify,
  type RunStatement,
  type SessionFacts,
  statementRunner,
} from './run-statement';

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
  const stretch = `(${ids.join()}) ${follows} (${[...values, from].join()})`;
  const end = columns.length === 0 ? '' : ` and (${columns.join()}) ${precedes} (${values.join()})`;
  return `${stretch}${end} order by ${ids.map((id) => `${id} ${order}`).join()}`;
};

const readPage = (
  run: RunStatement,
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
  return run(knex, { name: ['page', order, ...columns].join(' '), sql }, bindings);
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
 * Uses `statement_timestamp`, because Citus permits no volatile function, such as `clock_timestamp`, in the condition
 * of a `delete`.
 */
const nowSql = 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)';

const insertedNames = insertedColumns.map(({ name }) => name).join();

const insertPetsSql = {
  name: 'insert pets',
  sql: `insert into {pets} (${insertedNames}, created_at) select ${insertedNames}, ${nowSql}
  from unnest(${insertedColumns.map(({ type }) => `?::${type}[]`).join()}) as fresh (${insertedNames})
  returning ${petCells}`,
};

const insertKeys = {
  name: 'insert keys',
  sql: `insert into {idempotency_keys} (owner_id, idempotency_key, content_hash, pet_id, expires_at)
       select *, ${nowSql} + ?::bigint from unnest(?::text[], ?::text[], ?::text[], ?::bigint[])`,
};

// Skips locked rows, so that it can't deadlock with creates or with purges of other instances.
const purgeKeys = {
  name: 'purge keys',
  sql: `delete from {idempotency_keys} where (owner_id, idempotency_key) in (
         select owner_id, idempotency_key from {idempotency_keys} where expires_at <= ${nowSql} limit ? for update skip locked
       ) returning 1`,
};

// Citus does not support `skip locked`, so this statement waits for a locked row until `lock_timeout`, and then fails.
const purgeDistributedKeys = {
  name: 'purge distributed keys',
  sql: `delete from {idempotency_keys} where (owner_id, idempotency_key) in (
         select owner_id, idempotency_key from {idempotency_keys} where expires_at <= ${nowSql} limit ?
       ) and expires_at <= ${nowSql} returning 1`,
};

const sequence = `pg_get_serial_sequence('{pets}', 'id')`;

/**
 * Takes the greatest id of the table into account, because inserts with explicit ids do not advance the sequence. The
 * last value of an unused sequence is null, which `greatest` ignores.
 */
const readLastId = async (knex: Knex, qualify: Qualify): Promise<bigint> => {
  const assigned = qualify(`pg_sequence_last_value(${sequence}::regclass)`);
  const { id } = await knex('pets').first<{ readonly id: string }>(
    knex.raw(`greatest(max(id), ${assigned}, 0)::text as id`),
  );
  return BigInt(id);
};

/** Statements that need another form for Citus, which can't run the form for PostgreSQL or runs it slowly. */
type CitusVariants = Pick<Statements, 'pages' | 'insert' | 'insertRecords' | 'purgeExpired'>;

/**
 * Statements for PostgreSQL without Citus. Their text does not depend on the number of rows, so that a connection
 * prepares each statement only once.
 */
const singleServerStatements = (run: RunStatement, acceptsWritesSql: string): CitusVariants => ({
  pages: async (knex, starts, limit) => {
    const columns = (starts[0]?.filters ?? []).map(([column]) => column);
    const rows = await run(knex, pagesBy(acceptsWritesSql, columns, starts[0]?.order ?? 'asc'), [
      starts.map(({ from }) => from.toString()),
      ...columns.map((_, index) => arrayOf(starts.map(({ filters }) => filters[index]?.[1] ?? null))),
      limit,
    ]);
    const found = starts.map((): Array<PetRow> => []);
    for (const [page, ...row] of rows) found[Number(page) - 1]?.push(row);
    return found;
  },
  insert: (knex, newRows) => {
    const columns = insertedColumns.map((_, index) => arrayOf(newRows.map((cells) => cells[index] ?? null)));
    return run(knex, insertPetsSql, columns);
  },
  insertRecords: (knex, records, ttlMs) =>
    run(knex, insertKeys, [
      ttlMs,
      records.map(({ owner_id }) => owner_id),
      records.map(({ idempotency_key }) => idempotency_key),
      records.map(({ content_hash }) => content_hash),
      records.map(({ pet_id }) => pet_id.toString()),
    ]),
  purgeExpired: async (knex, limit) => (await run(knex, purgeKeys, [limit])).length,
});

const distributedStatements = (run: RunStatement, acceptsWritesSql: string): CitusVariants => ({
  pages: async (knex, starts, limit) => {
    const pages: Array<ReadonlyArray<PetRow>> = [];
    for (const start of starts) pages.push(await readPage(run, acceptsWritesSql, knex, start, limit));
    return pages;
  },
  insert: (knex, newRows) => {
    const row = `(${insertedColumns.map(() => '?').join()}, ${nowSql})`;
    const rows = newRows.map(() => row).join();
    const sql = `insert into {pets} (${insertedNames}, created_at) values ${rows} returning ${petCells}`;
    return run(knex, { sql }, newRows.flat());
  },
  insertRecords: async (knex, keys, ttlMs) => {
    const expires_at = knex.raw(`${nowSql} + ?::bigint`, [ttlMs]);
    const rows = keys.map((key) => ({ ...key, pet_id: key.pet_id.toString(), expires_at }));
    await knex('idempotency_keys').insert(rows);
  },
  purgeExpired: async (knex, limit) => (await run(knex, purgeDistributedKeys, [limit])).length,
});

/** Makes a function that reports whether the server is Citus. It asks once, on the connection of its first caller. */
const citusDetector = () => {
  let server: { readonly isDistributed: boolean } | undefined;
  return async (knex: Knex): Promise<boolean> => {
    server ??= await knex.first<{ readonly isDistributed: boolean }>(
      knex.raw(`to_regclass('pg_catalog.pg_dist_partition') is not null as "isDistributed"`),
    );
    return server.isDistributed;
  };
};

/** Makes the statements for PostgreSQL or Citus. Reads of animals have the SQL condition `acceptsWritesSql`. */
export const postgresStatements = (
  acceptsWritesSql: string,
  facts: () => SessionFacts,
): { readonly statements: Statements; readonly isDistributed: (knex: Knex) => Promise<boolean> } => {
  const qualify = qualifier(facts);
  const optionsOf = optionsFor(facts);
  const run = statementRunner(qualify, optionsOf);
  const single = singleServerStatements(run, acceptsWritesSql);
  const distributed = distributedStatements(run, acceptsWritesSql);
  const isDistributed = citusDetector();
  /** Opens a connection if none was opened before, because `facts` is known only after that. */
  const findFacts = async (knex: Knex): Promise<void> => {
    await isDistributed(knex);
  };
  const statementsOn = async (knex: Knex) => ((await isDistributed(knex)) ? distributed : single);
  const statements: Statements = {
    nowSql,
    byIds: async (knex, ids) => {
      await findFacts(knex);
      return run(knex, byIds(acceptsWritesSql), [ids.map(String)]);
    },
    pages: async (knex, starts, limit) => (await statementsOn(knex)).pages(knex, starts, limit),
    insert: async (knex, newRows) => (await statementsOn(knex)).insert(knex, newRows),
    insertRecords: async (knex, keys, ttlMs) => (await statementsOn(knex)).insertRecords(knex, keys, ttlMs),
    purgeExpired: async (knex, limit) => (await statementsOn(knex)).purgeExpired(knex, limit),
    duringImport: (_knex, work) => work(),
    readLastId: async (knex) => {
      await findFacts(knex);
      return readLastId(knex, qualify);
    },
    setLastId: async (knex, id) => {
      await findFacts(knex);
      await knex.raw(qualify(`select setval(${sequence}, ?::bigint)`), [id.toString()]);
    },
    hasTable: async (knex, name) => {
      await findFacts(knex);
      return hasTable(knex, facts().schema, name);
    },
    readColumns: async (knex, tables) => {
      await findFacts(knex);
      return readColumns(knex, facts().schema, tables);
    },
    readMissingRights: async (knex, rights) => {
      await findFacts(knex);
      return readMissingRights(knex, qualify('{}'), rights);
    },
    run: async <Row>(knex: Knex, { name, sql }: Statement, bindings: ReadonlyArray<Knex.RawBinding>) => {
      await findFacts(knex);
      const query = knex.raw<{ readonly rows: ReadonlyArray<Row> }>(qualify(sql), bindings);
      return (await query.options(optionsOf(name))).rows;
    },
    rowLock: async (knex) => ((await isDistributed(knex)) ? '' : 'for update'),
  };
  return { statements, isDistributed };
};
