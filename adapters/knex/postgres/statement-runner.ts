import type { Knex } from 'knex';
import type { Cell, PetRow } from '../database/pet-columns';

/** An array with nulls among its members: the driver takes it so, and Knex's types only so. */
export const arrayOf = (cells: ReadonlyArray<Cell>) => ({ toPostgres: () => [...cells] });

type Binding = Cell | number | Array<string> | ReturnType<typeof arrayOf>;

/** Runs a statement, and answers with its rows, cell by cell. Its name is for a text that is always the same. */
export type RunStatement = (
  knex: Knex,
  statement: { readonly name?: string; readonly sql: string },
  bindings: ReadonlyArray<Binding>,
) => Promise<ReadonlyArray<PetRow>>;

export const statementRunner =
  (preparesStatements: () => Promise<boolean>): RunStatement =>
  async (knex, { name, sql }, bindings) => {
    const query = knex.raw<{ readonly rows: ReadonlyArray<PetRow> }>(sql, bindings);
    const isNamed = name !== undefined && (await preparesStatements());
    const { rows } = await query.options({ rowMode: 'array', ...(isNamed ? { name } : {}) });
    return rows;
  };
