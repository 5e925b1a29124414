import type { Knex } from 'knex';
import {
  type Cell,
  type Column,
  filterCells,
  petColumns,
  newPetCells,
  newPetColumns,
  idOfRow,
  petBytes,
  petCells,
  petCellsIf,
  type PetRow,
} from '../database/pet-columns';
import type { PetStatements } from '../database/database';
import { isUnsupported } from '../database/errors';
import { arrayOf, checkIds, pageClauses, randomUnusedId, readPage, type RunStatement } from './statement';

const pagesBy = (columns: ReadonlyArray<Column>) => {
  const names = columns.map(({ name }) => name);
  const types = ['bigint', ...columns.map(({ type }) => type)].map((type) => `?::${type}[]`);
  const starts = ['first', ...columns.map((_, place) => `wanted${place}`), 'page'];
  const clauses = pageClauses(names, 'starts.first', (place) => `starts.wanted${place}`);
  return {
    name: ['pages', ...names].join(' '),
    sql: `select page, found.* from unnest(${types.join()}) with ordinality as starts(${starts.join()})
       cross join lateral (
         select ${petCellsIf('is_small')} from (
           select page.*, sum(${petBytes}) over () <= ? as is_small
           from (select * from pets where ${clauses} limit ?) as page
         ) as sized
       ) as found`,
  };
};

const byIds = { name: 'pets by ids', sql: `select ${petCells} from pets where pets.id = any(?::bigint[])` };

const insertInto = (columns: ReadonlyArray<Column>): string => {
  const names = columns.map(({ name }) => name).join();
  return `insert into pets (${names}) select ${names}
  from unnest(${columns.map(({ type }) => `?::${type}[]`).join()}) as fresh (${names})
  returning ${petCells}`;
};

const insertPets = { name: 'insert pets', sql: insertInto(newPetColumns) };

const tryInsertPet = { sql: insertInto(petColumns) };

const insertKeys = {
  name: 'insert keys',
  sql: `insert into creation_keys (owner_id, idempotency_key, pet_id, expires_at)
       select * from unnest(?::text[], ?::text[], ?::bigint[], ?::bigint[])`,
};

const purgeKeys = {
  name: 'purge keys',
  sql: `delete from creation_keys where (owner_id, idempotency_key) in (
         select owner_id, idempotency_key from creation_keys where expires_at <= ? limit ? for update skip locked
       ) returning 1`,
};

/** Statements for a single server. Their text does not depend on the number of rows, so each is prepared once. */
const singleServerStatements = (run: RunStatement): PetStatements => ({
  byIds: (knex, ids) => run(knex, byIds, [ids.map(String)]),
  page: readPage(run),
  pages: async (knex, starts, limit, maxPageBytes) => {
    const cells = starts.map(({ filters }) => filterCells(filters));
    const columns = (cells[0] ?? []).map(([column]) => column);
    const rows = await run(knex, pagesBy(columns), [
      starts.map(({ from }) => from.toString()),
      ...columns.map((_, place) => arrayOf(cells.map((wanted) => wanted[place]?.[1] ?? null))),
      maxPageBytes,
      limit,
    ]);
    const found = starts.map((): Array<PetRow> | undefined => []);
    for (const [page, ...row] of rows) {
      // Instead of the rows of a page that is too large, the statement returns nulls.
      if (idOfRow(row) === '') found[Number(page) - 1] = undefined;
      else found[Number(page) - 1]?.push(row);
    }
    return found;
  },
  insert: (knex, newPets) => {
    const rows = newPets.map(newPetCells);
    const columns = newPetColumns.map((_, place) => arrayOf(rows.map((cells) => cells[place] ?? null)));
    return run(knex, insertPets, columns);
  },
  tryInsert: async (transaction, newPet) => {
    await checkIds(transaction);
    const cells = [randomUnusedId(), ...newPetCells(newPet)];
    return run(
      transaction,
      tryInsertPet,
      cells.map((cell) => arrayOf([cell])),
    );
  },
  insertRecords: (knex, records) =>
    run(knex, insertKeys, [
      records.map(({ owner_id }) => owner_id),
      records.map(({ idempotency_key }) => idempotency_key),
      records.map(({ pet_id }) => pet_id.toString()),
      records.map(({ expires_at }) => String(expires_at)),
    ]),
  purgeExpired: async (knex, now, limit) => (await run(knex, purgeKeys, [now, limit])).length,
});

const textLength = (rows: ReadonlyArray<PetRow>): number =>
  rows.flat().reduce((length, cell) => length + (cell?.length ?? 0), 0);

const distributedStatements = (run: RunStatement): Omit<PetStatements, 'byIds' | 'page'> => {
  const page = readPage(run);

  const insertValues = (
    knex: Knex,
    columns: ReadonlyArray<Column>,
    rows: ReadonlyArray<ReadonlyArray<Cell>>,
  ) => {
    const names = columns.map(({ name }) => name).join();
    const values = rows.map((row) => `(${row.map(() => '?').join()})`).join();
    return run(
      knex,
      { sql: `insert into pets (${names}) values ${values} returning ${petCells}` },
      rows.flat(),
    );
  };

  return {
    pages: async (knex, starts, limit, maxPageBytes) => {
      const pages: Array<ReadonlyArray<PetRow> | undefined> = [];
      for (const start of starts) {
        const rows = await page(knex, start, limit);
        pages.push(textLength(rows) > maxPageBytes ? undefined : rows);
      }
      return pages;
    },
    insert: (knex, newPets) => insertValues(knex, newPetColumns, newPets.map(newPetCells)),
    tryInsert: async (transaction, newPet) => {
      await checkIds(transaction);
      return insertValues(transaction, petColumns, [[randomUnusedId(), ...newPetCells(newPet)]]);
    },
    insertRecords: async (knex, keys) => {
      await knex('creation_keys').insert(keys.map((key) => ({ ...key, pet_id: key.pet_id.toString() })));
    },
    // Citus has no `skip locked`: the statement waits for locked rows until lock_timeout.
    purgeExpired: async (knex, now, limit) => {
      const sql = `delete from creation_keys where (owner_id, idempotency_key) in (
          select owner_id, idempotency_key from creation_keys where expires_at <= ? limit ?
        ) and expires_at <= ? returning 1`;
      return (await run(knex, { sql }, [now, limit, now])).length;
    },
  };
};

const fallbackIfUnsupported = <Arguments extends ReadonlyArray<unknown>, A>(
  first: (...given: Arguments) => Promise<A>,
  second: (...given: Arguments) => Promise<A>,
): ((...given: Arguments) => Promise<A>) => {
  let isSupported = true;
  return async (...given) => {
    if (!isSupported) return second(...given);
    try {
      return await first(...given);
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      isSupported = false;
      return second(...given);
    }
  };
};

/**
 * Returns the statements for PostgreSQL or Citus. Citus runs PostgreSQL's inserts, but slowly, so inserts are chosen by
 * the detected engine. Other statements fall back to their Citus form when Citus rejects them.
 */
export const postgresPetStatements = (
  run: RunStatement,
  engine: (knex: Knex) => Promise<{ readonly isDistributed: boolean }>,
): PetStatements => {
  const single = singleServerStatements(run);
  const distributed = distributedStatements(run);
  const inserting = async (knex: Knex) => ((await engine(knex)).isDistributed ? distributed : single);
  return {
    byIds: single.byIds,
    page: single.page,
    pages: fallbackIfUnsupported(single.pages, distributed.pages),
    insert: async (knex, newPets) => (await inserting(knex)).insert(knex, newPets),
    tryInsert: async (transaction, newPet) => (await inserting(transaction)).tryInsert(transaction, newPet),
    insertRecords: async (knex, keys) => (await inserting(knex)).insertRecords(knex, keys),
    purgeExpired: fallbackIfUnsupported(single.purgeExpired, distributed.purgeExpired),
  };
};
