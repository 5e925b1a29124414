import type { Knex } from 'knex';
import { type Cell, newPetCells, newPetColumns, petCells, type PetRow } from '../database/pet-columns';
import type { PetStatements } from '../database/pet-statements';

const ofAnyStatus = 'pets.id >= starts.first order by pets.id';

// A stretch of the index on status and id. `status = starts.wanted` would say the same, and let the planner walk along
// the primary key instead, past all that have another status.
const ofOneStatus = `(status, pets.id) >= (starts.wanted, starts.first) and status <= starts.wanted
         order by pets.status, pets.id`;

const names = newPetColumns.map(({ name }) => name).join();

const insertPets = `insert into pets (${names})
  select ${names} from unnest(${newPetColumns.map(({ type }) => `?::${type}[]`).join()}) as fresh (${names})
  returning ${petCells}`;

/** An array with nulls among its members: the driver takes it so, and Knex's types only so. */
const arrayOf = (cells: ReadonlyArray<Cell>) => ({ toPostgres: () => [...cells] });

type Binding = number | Array<string> | ReturnType<typeof arrayOf>;

/** A statement that each connection prepares once, by this name, and its rows, cell by cell. */
const run = async (
  knex: Knex,
  name: string,
  sql: string,
  bindings: ReadonlyArray<Binding>,
): Promise<ReadonlyArray<PetRow>> => {
  const { rows } = await knex
    .raw<{ readonly rows: ReadonlyArray<PetRow> }>(sql, bindings)
    .options({ name, rowMode: 'array' });
  return rows;
};

export const postgresPetStatements: PetStatements = {
  byIds: (knex, ids) =>
    run(knex, 'pets by ids', `select ${petCells} from pets where pets.id = any(?::bigint[])`, [
      ids.map(String),
    ]),
  pages: async (knex, starts, limit) => {
    const withStatus = starts.some(({ status }) => status !== undefined);
    const rows = await run(
      knex,
      withStatus ? 'pages of a status' : 'pages',
      `select page, found.* from unnest(?::bigint[], ?::text[]) with ordinality as starts(first, wanted, page)
       cross join lateral (
         select ${petCells} from pets where ${withStatus ? ofOneStatus : ofAnyStatus} limit ?
       ) as found`,
      [starts.map(({ from }) => from.toString()), starts.map(({ status }) => status ?? ''), limit],
    );
    const pages = starts.map((): Array<PetRow> => []);
    for (const [page, ...row] of rows) pages[Number(page) - 1]?.push(row);
    return pages;
  },
  insert: (knex, newPets) => {
    const rows = newPets.map(newPetCells);
    const columns = newPetColumns.map((_, place) => arrayOf(rows.map((cells) => cells[place] ?? null)));
    return run(knex, 'insert pets', insertPets, columns);
  },
  insertRecords: (knex, keys) =>
    run(
      knex,
      'insert keys',
      `insert into creation_keys (caller, idempotency_key, pet_id, kept_until)
       select * from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[])`,
      [
        keys.map(({ caller }) => caller),
        keys.map(({ idempotency_key }) => idempotency_key),
        keys.map(({ pet_id }) => pet_id.toString()),
        keys.map(({ kept_until }) => String(kept_until)),
      ],
    ),
  forgetExpired: async (knex, now, limit) => {
    const rows = await run(
      knex,
      'forget keys',
      `delete from creation_keys where (caller, idempotency_key) in (
         select caller, idempotency_key from creation_keys where kept_until <= ? limit ? for update skip locked
       ) returning 1`,
      [now, limit],
    );
    return rows.length;
  },
};
