import type { Knex } from 'knex';
import {
  type Column,
  filterCells,
  newPetCells,
  newPetColumnNames,
  newPetColumns,
  petCells,
  type PetRow,
} from '../database/pet-columns';
import type { PetStatements } from '../database/pet-statements';
import { distributedPetStatements } from './distributed-pet-statements';
import type { Engine } from './engine';
import { pageCondition } from './page-condition';
import { arrayOf, type RunStatement } from './statement-runner';
import { unlessRefused } from './unless-refused';

/** Pages of those with wanted values in these columns. */
const pagesBy = (columns: ReadonlyArray<Column>) => {
  const names = columns.map(({ name }) => name);
  const types = ['bigint', ...columns.map(({ type }) => type)].map((type) => `?::${type}[]`);
  const starts = ['first', ...columns.map((_, place) => `wanted${place}`), 'page'];
  const condition = pageCondition(names, 'starts.first', (place) => `starts.wanted${place}`);
  return {
    name: ['pages', ...names].join(' '),
    sql: `select page, found.* from unnest(${types.join()}) with ordinality as starts(${starts.join()})
       cross join lateral (
         select ${petCells} from pets where ${condition} limit ?
       ) as found`,
  };
};

const byIds = { name: 'pets by ids', sql: `select ${petCells} from pets where pets.id = any(?::bigint[])` };

const insertPets = {
  name: 'insert pets',
  sql: `insert into pets (${newPetColumnNames})
  select ${newPetColumnNames}
  from unnest(${newPetColumns.map(({ type }) => `?::${type}[]`).join()}) as fresh (${newPetColumnNames})
  returning ${petCells}`,
};

const insertKeys = {
  name: 'insert keys',
  sql: `insert into creation_keys (caller, idempotency_key, pet_id, kept_until)
       select * from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[])`,
};

const forgetKeys = {
  name: 'forget keys',
  sql: `delete from creation_keys where (caller, idempotency_key) in (
         select caller, idempotency_key from creation_keys where kept_until <= ? limit ? for update skip locked
       ) returning 1`,
};

/** The statements of one server: each is a single text, whatever the number of its rows. */
const singleServerStatements = (run: RunStatement): PetStatements => ({
  byIds: (knex, ids) => run(knex, byIds, [ids.map(String)]),
  pages: async (knex, starts, limit) => {
    const cells = starts.map(({ filters }) => filterCells(filters));
    const columns = (cells[0] ?? []).map(([column]) => column);
    const rows = await run(knex, pagesBy(columns), [
      starts.map(({ from }) => from.toString()),
      ...columns.map((_, place) => arrayOf(cells.map((wanted) => wanted[place]?.[1] ?? null))),
      limit,
    ]);
    const found = starts.map((): Array<PetRow> => []);
    for (const [page, ...row] of rows) found[Number(page) - 1]?.push(row);
    return found;
  },
  insert: (knex, newPets) => {
    const rows = newPets.map(newPetCells);
    const columns = newPetColumns.map((_, place) => arrayOf(rows.map((cells) => cells[place] ?? null)));
    return run(knex, insertPets, columns);
  },
  insertRecords: (knex, keys) =>
    run(knex, insertKeys, [
      keys.map(({ caller }) => caller),
      keys.map(({ idempotency_key }) => idempotency_key),
      keys.map(({ pet_id }) => pet_id.toString()),
      keys.map(({ kept_until }) => String(kept_until)),
    ]),
  forgetExpired: async (knex, now, limit) => (await run(knex, forgetKeys, [now, limit])).length,
});

/**
 * What a distributed engine refuses in a single server's form it is asked in its own. An insert is refused by none, but
 * is slow in the other's form: it goes by the engine, which may be asked on the connection that inserts.
 */
export const postgresPetStatements = (
  run: RunStatement,
  engine: (knex: Knex) => Promise<Pick<Engine, 'isDistributed'>>,
): PetStatements => {
  const single = singleServerStatements(run);
  const distributed = distributedPetStatements(run);
  const inserting = async (knex: Knex) => ((await engine(knex)).isDistributed ? distributed : single);
  return {
    byIds: single.byIds,
    pages: unlessRefused(single.pages, distributed.pages),
    insert: async (knex, newPets) => (await inserting(knex)).insert(knex, newPets),
    insertRecords: async (knex, keys) => (await inserting(knex)).insertRecords(knex, keys),
    forgetExpired: unlessRefused(single.forgetExpired, distributed.forgetExpired),
  };
};
