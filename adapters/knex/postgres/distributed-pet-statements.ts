import type { Knex } from 'knex';
import {
  type Cell,
  type Column,
  petColumns,
  newPetCells,
  newPetColumns,
  petCells,
  type PetRow,
} from '../database/pet-columns';
import type { PetStatements } from '../database/database';
import { checkIds, randomUnusedId, readPage, type RunStatement } from './statement';

const textLength = (rows: ReadonlyArray<PetRow>): number =>
  rows.flat().reduce((length, cell) => length + (cell?.length ?? 0), 0);

/**
 * Statements for tables that are distributed over several servers, as by Citus. Citus rejects the statements for a single
 * server, or copies their rows one by one.
 */
export const distributedPetStatements = (run: RunStatement): Omit<PetStatements, 'byIds' | 'page'> => {
  const page = readPage(run);

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
        const rows = await page(knex, start, limit);
        pages.push(textLength(rows) > maxPageBytes ? undefined : rows);
      }
      return pages;
    },
    insert: (knex, newPets) => insertInto(knex, newPetColumns, newPets.map(newPetCells)),
    tryInsert: async (transaction, newPet) => {
      await checkIds(transaction);
      return insertInto(transaction, petColumns, [[randomUnusedId(), ...newPetCells(newPet)]]);
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
