import * as t from 'io-ts';
import type { Knex } from 'knex';
import type { PetReads } from './pet-reads';
import type { PetRow } from './pet-rows';

// A row costs the driver more than SQLite: many of them come as one JSON text.
const rowsAsJson =
  'json_group_array(json_array(cast(id as text), cast(name as text), cast(category_id as text), status))';

const cells = t.array(t.tuple([t.string, t.string, t.string, t.union([t.string, t.null])]));

const parseRows = (text: string): ReadonlyArray<PetRow> => {
  const rows: unknown = JSON.parse(text);
  if (!cells.is(rows)) throw new TypeError('rows of pets have other columns than they should');
  return rows.map(([id, name, category_id, status]) => ({ id, name, category_id, status }));
};

interface JsonRows {
  readonly found: string;
}

export const sqlitePetReads = (reads: Knex): PetReads => ({
  byIds: async (ids) => {
    const rows = await reads.raw<ReadonlyArray<JsonRows>>(
      `select ${rowsAsJson} as found from pets where pets.id in (select value from json_each(?))`,
      [`[${ids.join()}]`],
    );
    return rows.flatMap(({ found }) => parseRows(found));
  },
  pages: async (starts, limit) => {
    const withStatus = starts.some(({ status }) => status !== undefined);
    const rows = await reads.raw<ReadonlyArray<JsonRows>>(
      `select (select ${rowsAsJson} from (
         select * from pets where pets.id >= starts.value ->> 0
         ${withStatus ? 'and status = starts.value ->> 1' : ''} order by pets.id limit ?
       ) as page) as found from json_each(?) as starts`,
      [limit, `[${starts.map(({ from, status }) => `[${from},"${status ?? ''}"]`).join()}]`],
    );
    return rows.map(({ found }) => parseRows(found));
  },
});
