import type { Knex } from 'knex';
import type { ListOrder } from '../../../core';
import { hasExpired } from '../database/clock';
import type { IdempotencyKeyRow, PageStart, Statements } from '../database/store-database';
import { DiagnosedError } from '../database/errors';
import {
  type Cell,
  type Column,
  insertedColumns,
  insertedNames,
  type NewPetRow,
  petCells,
  type PetRow,
} from '../database/pet-columns';

/** Milliseconds since 1970, which begins at 2440587.5 in SQLite's Julian days. */
const nowSql = "cast(round((julianday('now') - 2440587.5) * 86400000) as integer)";

/**
 * Statements for SQLite. Their SQL returns rows as JSON texts, because the driver takes longer to create a JavaScript
 * value for each cell.
 */
export const sqliteStatements: Statements = {
  nowSql,
  acceptsWritesSql: 'true',
  byIds: (knex, ids) => readRows(knex, byIds, `[${ids.join()}]`),
  pages: async (knex, starts, limit) => {
    const columns = (starts[0]?.filters ?? []).map(([column]) => column);
    const rows = await run(
      knex,
      pagesBy(columns, starts[0]?.order ?? 'asc'),
      limit,
      `[${starts.map(startAsJson).join()}]`,
    );
    return rows.map(({ json }) => parseRows(json));
  },
  insert: (knex, newRows) => readRows(knex, insert, `[${newRows.map(newRowAsJson).join()}]`),
  // Enlarges the page cache. The default of 2 MB does not hold the indexes of a large table, so SQLite would write
  // their pages and read them again.
  duringImport: async (knex, work) => {
    const [before] = await knex.raw<ReadonlyArray<{ readonly cache_size: number }>>('PRAGMA cache_size');
    await knex.raw('PRAGMA cache_size = -32000');
    try {
      return await work();
    } finally {
      await knex.raw(`PRAGMA cache_size = ${before?.cache_size ?? -2_000}`);
    }
  },
  insertKeys: (knex, keys, ttlMs) => run(knex, insertKeys, ttlMs, `[${keys.map(keyAsJson).join()}]`),
  purgeExpired: async (knex, limit) => (await run(knex, purgeExpired, limit)).length,
  readLastId: async (knex) => BigInt((await run(knex, lastId))[0]?.json ?? 0),
  setLastId: async (knex, id) => {
    await knex('sqlite_sequence').where({ name: 'pets' }).delete();
    await knex('sqlite_sequence').insert({ name: 'pets', seq: id.toString() });
  },
  // Needs no row locks, because a writing transaction locks the whole file.
  insertFromLocked: (knex, sql, bindings) => knex.raw(sql.replaceAll(/[{}]/g, ''), bindings),
  // Reports every INT column as `bigint`, because SQLite stores 64 bits (SQLite, "Datatypes").
  readColumns: (knex, tables) =>
    knex.raw(
      `select m.name as "table", c.name as "column", case
         when c.type like '%int%' then 'bigint' when c.type like '%char%' or c.type like '%text%' then 'key' else c.type
       end as type
       from sqlite_master as m, pragma_table_info(m.name) as c where m.name in (${tables.map(() => '?').join()})`,
      [...tables],
    ),
};

type JsonRows = ReadonlyArray<{ readonly json: string | null }>;

const rowAsJson = `json_array(${petCells})`;

const isRow = (value: unknown): value is PetRow =>
  Array.isArray(value) && value.every((cell) => cell === null || typeof cell === 'string');

const parseRows = (text: string | null): ReadonlyArray<PetRow> => {
  const value: unknown = JSON.parse(text ?? '');
  if (Array.isArray(value) && value.every(isRow)) return value;
  throw new DiagnosedError('table pets has a value of an unexpected type', 'UnexpectedValue');
};

const cellAsJson = (column: Column | undefined, cell: Cell): string | null =>
  column?.type === 'bigint' ? cell : JSON.stringify(cell);

const newRowAsJson = (row: NewPetRow): string =>
  `[${row.map((cell, index) => cellAsJson(insertedColumns[index], cell)).join()}]`;

const startAsJson = ({ from, filters }: PageStart): string =>
  `[${[from, ...filters.map(([column, cell]) => cellAsJson(column, cell))].join()}]`;

const keyAsJson = ({ owner_id, idempotency_key, content_hash, pet_id }: IdempotencyKeyRow): string =>
  `[${JSON.stringify(owner_id)},${JSON.stringify(idempotency_key)},"${content_hash}",${pet_id}]`;

const byIds = `select json_group_array(${rowAsJson}) as json from pets
  where pets.id in (select value from json_each(?))`;

const insert = `insert into pets (${insertedNames})
  select ${insertedColumns.map((_, index) => `value ->> ${index}`).join()}, ${nowSql} from json_each(?)
  returning json_array(${rowAsJson}) as json`;

const insertKeys = `insert into idempotency_keys (owner_id, idempotency_key, content_hash, pet_id, expires_at)
  select value ->> 0, value ->> 1, value ->> 2, value ->> 3, ${nowSql} + ? from json_each(?)`;

const purgeExpired = `delete from idempotency_keys
  where rowid in (select rowid from idempotency_keys where ${hasExpired(nowSql)} limit ?) returning '' as json`;

const pagesBy = (columns: ReadonlyArray<Column>, order: ListOrder): string => {
  const follows = order === 'asc' ? '>=' : '<=';
  const equal = columns.map(({ name }, index) => `and ${name} = starts.value ->> ${index + 1}`);
  return `select (
      select json_group_array(${rowAsJson}) from (
        select * from pets where pets.id ${follows} starts.value ->> 0 ${equal.join(' ')}
        order by pets.id ${order} limit ?
      )
    ) as json from json_each(?) as starts`;
};

const lastId = `select cast(max(coalesce(max(pets.id), 0), coalesce(
    (select seq from sqlite_sequence where name = 'pets'), 0)) as text) as json from pets`;

const run = async (knex: Knex, sql: string, ...bindings: ReadonlyArray<Cell | number>): Promise<JsonRows> =>
  knex.raw<JsonRows>(sql, bindings);

const readRows = async (...statement: Parameters<typeof run>): Promise<ReadonlyArray<PetRow>> =>
  (await run(...statement)).flatMap(({ json }) => parseRows(json));
