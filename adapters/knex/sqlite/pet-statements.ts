import * as t from 'io-ts';
import type { Knex } from 'knex';
import type { NewPet } from '../../../core';
import {
  type Cell,
  type Column,
  filterCells,
  newPetCells,
  newPetColumnNames,
  newPetColumns,
  petBytes,
  petCells,
} from '../database/pet-columns';
import type { IdempotencyRecordRow, PageStart, PetStatements } from '../database/pet-statements';

// Passing values one by one costs the driver more than SQLite needs to parse them from one JSON text.
const rowAsJson = `json_array(${petCells})`;

const Row = t.readonlyArray(t.union([t.string, t.null]));
const Rows = t.readonlyArray(Row);

const parse = <A>(codec: t.Type<A, unknown>, text: string): A => {
  const value: unknown = JSON.parse(text);
  if (!codec.is(value)) throw new TypeError('the cells of pets are neither texts nor null');
  return value;
};

/** Writes integers as digits, since a JavaScript number would lose some. */
const cellAsJson = (column: Column | undefined, cell: Cell): string | null =>
  column?.type === 'bigint' ? cell : JSON.stringify(cell);

const newPetAsJson = (newPet: NewPet): string =>
  `[${newPetCells(newPet)
    .map((cell, place) => cellAsJson(newPetColumns[place], cell))
    .join()}]`;

const startAsJson = ({ from, filters }: PageStart): string =>
  `[${[from, ...filterCells(filters).map(([column, cell]) => cellAsJson(column, cell))].join()}]`;

const keyAsJson = ({ owner_id, idempotency_key, pet_id, expires_at }: IdempotencyRecordRow): string =>
  `[${JSON.stringify(owner_id)},${JSON.stringify(idempotency_key)},${pet_id},${expires_at}]`;

const insertPets = `insert into pets (${newPetColumnNames})
  select ${newPetColumns.map((_, place) => `value ->> ${place}`).join()} from json_each(?)
  returning ${rowAsJson} as found`;

interface JsonRow {
  readonly found: string;
}

interface JsonPage {
  /** Null if the page is too large. */
  readonly found: string | null;
}

const run = <Row = JsonRow>(knex: Knex, sql: string, ...bindings: ReadonlyArray<string | number>) =>
  knex.raw<ReadonlyArray<Row>>(sql, bindings);

const insert: PetStatements['insert'] = async (knex, newPets) => {
  const rows = await run(knex, insertPets, `[${newPets.map(newPetAsJson).join()}]`);
  return rows.map(({ found }) => parse(Row, found));
};

export const sqlitePetStatements: PetStatements = {
  byIds: async (knex, ids) => {
    const rows = await run(
      knex,
      `select json_group_array(${rowAsJson}) as found from pets where pets.id in (select value from json_each(?))`,
      `[${ids.join()}]`,
    );
    return rows.flatMap(({ found }) => parse(Rows, found));
  },
  pages: async (knex, starts, limit, maxPageBytes) => {
    const filtered = filterCells(starts[0]?.filters ?? {}).map(
      ([{ name }], place) => `and ${name} = starts.value ->> ${place + 1}`,
    );
    const page = `from pets where pets.id >= starts.value ->> 0 ${filtered.join(' ')} order by pets.id limit ?`;
    const rows = await run<JsonPage>(
      knex,
      `select case when (select total(bytes) from (select ${petBytes} as bytes ${page})) <= ? then
         (select json_group_array(${rowAsJson}) from (select * ${page}))
       end as found from json_each(?) as starts`,
      limit,
      maxPageBytes,
      limit,
      `[${starts.map(startAsJson).join()}]`,
    );
    return rows.map(({ found }) => (found === null ? undefined : parse(Rows, found)));
  },
  insert,
  tryInsert: (transaction, newPet) => insert(transaction, [newPet]),
  insertRecords: (knex, keys) =>
    run(
      knex,
      `insert into creation_keys (owner_id, idempotency_key, pet_id, expires_at)
       select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)`,
      `[${keys.map(keyAsJson).join()}]`,
    ),
  purgeExpired: async (knex, now, limit) => {
    const rows = await run(
      knex,
      `delete from creation_keys where rowid in (select rowid from creation_keys where expires_at <= ? limit ?)
       returning '' as found`,
      now,
      limit,
    );
    return rows.length;
  },
};
