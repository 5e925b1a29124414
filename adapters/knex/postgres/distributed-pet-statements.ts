import type { Knex } from 'knex';
import {
  type Cell,
  type Column,
  filterCells,
  petColumns,
  newPetCells,
  newPetColumns,
  petCells,
  type PetRow,
} from '../database/pet-columns';
import type { PageStart, PetStatements } from '../database/pet-statements';
import { checkIds, pageCondition, randomUnusedId, type RunStatement } from './statement';

const textLength = (page: ReadonlyArray<PetRow>): number =>
  page.flat().reduce((length, cell) => length + (cell?.length ?? 0), 0);

/**
 * Statements for tables that are distributed over several servers, as by Citus. Citus rejects the statements for a single
 * server, or copies their rows one by one.
 */
export const distributedPetStatements = (run: RunStatement): Omit<PetStatements, 'byIds'> => {
  const readPage = (knex: Knex, { from, filters }: PageStart, limit: number) => {
    const cells = filterCells(filters);
    const columns = cells.map(([{ name }]) => name);
    const sql = `select ${petCells} from pets where ${pageCondition(columns, '?', () => '?')} limit ?`;
    const name = ['page', ...columns].join(' ');
    const [first, ...others] = cells.map(([, cell]) => cell);
    const bindings = first === undefined ? [from.toString()] : [first, from.toString(), first, ...others];
    return run(knex, { name, sql }, [...bindings, limit]);
  };

  const insertInto = (
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
        const page = await readPage(knex, start, limit);
        pages.push(textLength(page) > maxPageBytes ? undefined : page);
      }
      return pages;
    },
    insert: (knex, newPets) => insertInto(knex, newPetColumns, newPets.map(newPetCells)),
    tryInsert: async (transaction, newPet) => {
      await checkIds(transaction);
      return insertInto(transaction, petColumns, [[randomUnusedId(), ...newPetCells(newPet)]]);
    },
    insertRecords: async (knex, keys) => {
      if (keys.length === 0) return;
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
