import { filterCells, newPetCells, newPetColumnNames, petCells, type PetRow } from '../database/pet-columns';
import type { PageStart, PetStatements } from '../database/pet-statements';
import { pageCondition } from './page-condition';
import type { RunStatement } from './statement-runner';

/**
 * The statements for tables that are spread over several servers. An engine sends each to the servers that it concerns;
 * what a single server takes in one is refused there, or is copied row by row.
 */
export const distributedPetStatements = (run: RunStatement): Omit<PetStatements, 'byIds'> => {
  const readPage = (knex: Parameters<RunStatement>[0], { from, filters }: PageStart, limit: number) => {
    const cells = filterCells(filters);
    const columns = cells.map(([{ name }]) => name);
    const sql = `select ${petCells} from pets where ${pageCondition(columns, '?', () => '?')} limit ?`;
    const name = ['page', ...columns].join(' ');
    const [first, ...others] = cells.map(([, cell]) => cell);
    const bindings = first === undefined ? [from.toString()] : [first, from.toString(), first, ...others];
    return run(knex, { name, sql }, [...bindings, limit]);
  };

  return {
    pages: async (knex, starts, limit) => {
      const pages: Array<ReadonlyArray<PetRow>> = [];
      for (const start of starts) pages.push(await readPage(knex, start, limit));
      return pages;
    },
    insert: (knex, newPets) => {
      const rows = newPets.map(newPetCells);
      const values = rows.map((row) => `(${row.map(() => '?').join()})`).join();
      const sql = `insert into pets (${newPetColumnNames}) values ${values} returning ${petCells}`;
      return run(knex, { sql }, rows.flat());
    },
    insertRecords: async (knex, keys) => {
      if (keys.length === 0) return;
      await knex('creation_keys').insert(keys.map((key) => ({ ...key, pet_id: key.pet_id.toString() })));
    },
    // No rows can be locked here that others hold: it waits for those, for as long as lock_timeout lets it.
    forgetExpired: async (knex, now, limit) => {
      const sql = `delete from creation_keys where (caller, idempotency_key) in (
          select caller, idempotency_key from creation_keys where kept_until <= ? limit ?
        ) and kept_until <= ? returning 1`;
      return (await run(knex, { sql }, [now, limit, now])).length;
    },
  };
};
