import { randomBytes } from 'node:crypto';
import type { Knex } from 'knex';
import { errorWithCode } from '../database/errors';
import type { PageStart } from '../database/database';
import { type Cell, filterCells, petCells, type PetRow } from '../database/pet-columns';

/** Returns an array parameter in the only form of Knex's types that permits nulls. */
export const arrayOf = (cells: ReadonlyArray<Cell>) => ({ toPostgres: () => [...cells] });

type Binding = Cell | number | Array<string> | ReturnType<typeof arrayOf>;

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

/**
 * Returns the where and order clauses of a page: animals from an id on, with these column values. The row comparison
 * makes the planner use the index on the first column and the id. For `column = wanted` it may scan the primary key.
 */
export const pageClauses = (
  columns: ReadonlyArray<string>,
  from: string,
  wanted: (place: number) => string,
): string => {
  const [first, ...others] = columns;
  if (first === undefined) return `pets.id >= ${from} order by pets.id`;
  const stretch = `(${first}, pets.id) >= (${wanted(0)}, ${from}) and ${first} <= ${wanted(0)}`;
  const equal = others.map((column, place) => ` and ${column} = ${wanted(place + 1)}`);
  return `${stretch}${equal.join('')} order by pets.${first}, pets.id`;
};

export const readPage =
  (run: RunStatement) =>
  (knex: Knex, { from, filters }: PageStart, limit: number): Promise<ReadonlyArray<PetRow>> => {
    const cells = filterCells(filters);
    const columns = cells.map(([{ name }]) => name);
    const sql = `select ${petCells} from pets where ${pageClauses(columns, '?', () => '?')} limit ?`;
    const [first, ...others] = cells.map(([, cell]) => cell);
    const bindings = first === undefined ? [from.toString()] : [first, from.toString(), first, ...others];
    return run(knex, { name: ['page', ...columns].join(' '), sql }, [...bindings, limit]);
  };

export const checkIds = async (knex: Knex): Promise<void> => {
  type Row = Record<'isAllowed' | 'isExhausted', boolean | null>;
  const { rows } = await knex.raw<{ readonly rows: ReadonlyArray<Row> }>(
    `select has_sequence_privilege(seqrelid, 'usage, update') as "isAllowed",
       case when has_sequence_privilege(seqrelid, 'usage, select')
         then pg_sequence_last_value(seqrelid) > seqmax - seqincrement end as "isExhausted"
     from pg_sequence where seqrelid = pg_get_serial_sequence('pets', 'id')::regclass`,
  );
  if (rows[0]?.isAllowed === false)
    throw errorWithCode('42501', 'permission denied for sequence pets_id_seq');
  if (rows[0]?.isExhausted === true) throw errorWithCode('2200H', 'sequence pets_id_seq has no id left');
};

export const randomUnusedId = (): string => String(randomBytes(8).readBigInt64LE() | -(2n ** 63n));
