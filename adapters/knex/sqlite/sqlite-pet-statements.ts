import * as t from 'io-ts';
import type { Knex } from 'knex';
import type { NewPet } from '../../../core';
import type { CreationKeyRow, PetStatements } from '../database/pet-statements';
import type { PetRow } from '../database/pet-rows';

// A value costs the driver more than SQLite: many of them go and come as one JSON text.
const rowAsJson = 'json_array(cast(id as text), cast(name as text), cast(category_id as text), status)';

const Cells = t.tuple([t.string, t.string, t.string, t.union([t.string, t.null])]);

const toRow = (cells: unknown): PetRow => {
  if (!Cells.is(cells)) throw new TypeError('a row of pets has other columns than it should');
  const [id, name, category_id, status] = cells;
  return { id, name, category_id, status };
};

const parseRows = (text: string): ReadonlyArray<PetRow> => {
  const rows: unknown = JSON.parse(text);
  if (!t.UnknownArray.is(rows)) throw new TypeError('rows of pets are no JSON array');
  return rows.map(toRow);
};

/** Exact integers: they are written as they are, in digits. */
const newPetsAsJson = (newPets: ReadonlyArray<NewPet>): string =>
  `[${newPets
    .map(
      ({ name, categoryId, status = null }) =>
        `[${JSON.stringify(name)},${categoryId},${JSON.stringify(status)}]`,
    )
    .join()}]`;

const keysAsJson = (keys: ReadonlyArray<CreationKeyRow>): string =>
  `[${keys
    .map(
      ({ caller, idempotency_key, pet_id, kept_until }) =>
        `[${JSON.stringify(caller)},${JSON.stringify(idempotency_key)},${pet_id},${kept_until}]`,
    )
    .join()}]`;

interface JsonRow {
  readonly found: string;
}

export const sqlitePetStatements = (reads: Knex): PetStatements => ({
  byIds: async (ids) => {
    const rows = await reads.raw<ReadonlyArray<JsonRow>>(
      `select json_group_array(${rowAsJson}) as found from pets where pets.id in (select value from json_each(?))`,
      [`[${ids.join()}]`],
    );
    return rows.flatMap(({ found }) => parseRows(found));
  },
  pages: async (starts, limit) => {
    const withStatus = starts.some(({ status }) => status !== undefined);
    const rows = await reads.raw<ReadonlyArray<JsonRow>>(
      `select (select json_group_array(${rowAsJson}) from (
         select * from pets where pets.id >= starts.value ->> 0
         ${withStatus ? 'and status = starts.value ->> 1' : ''} order by pets.id limit ?
       ) as page) as found from json_each(?) as starts`,
      [limit, `[${starts.map(({ from, status }) => `[${from},"${status ?? ''}"]`).join()}]`],
    );
    return rows.map(({ found }) => parseRows(found));
  },
  insert: async (writes, newPets) => {
    const rows = await writes.raw<ReadonlyArray<JsonRow>>(
      `insert into pets (name, category_id, status)
       select value ->> 0, value ->> 1, value ->> 2 from json_each(?) returning ${rowAsJson} as found`,
      [newPetsAsJson(newPets)],
    );
    return rows.map(({ found }) => toRow(JSON.parse(found)));
  },
  insertKeys: (writes, keys) =>
    writes.raw(
      `insert into creation_keys (caller, idempotency_key, pet_id, kept_until)
       select value ->> 0, value ->> 1, value ->> 2, value ->> 3 from json_each(?)`,
      [keysAsJson(keys)],
    ),
});
