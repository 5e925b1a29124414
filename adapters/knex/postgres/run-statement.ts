import type { Knex } from 'knex';
import type { RunStatement } from '../database/opened-database';
import type { Cell, PetRow } from '../database/pet-columns';
import { nameSchemaInSql } from './schema';

/** Wraps an array for use as a query parameter. Knex's TypeScript types permit nulls in an array only in this form. */
export const arrayOf = (cells: ReadonlyArray<Cell>) => ({ toPostgres: () => [...cells] });

export interface SessionFacts {
  /** True behind a pooler, where prepared statements can fail. */
  readonly isBehindPooler: boolean;
  /** Schema that statements name (schema.ts), or undefined if they leave it to the search path. */
  readonly schema?: string | undefined;
  /** Unix time in seconds at which the certificate of the server or pooler expires. Undefined without TLS. */
  readonly certificateExpirySeconds?: number | undefined;
}

/** Runs a statement that selects texts, and returns its rows as arrays. */
export type SelectCells = (...statement: Parameters<RunStatement>) => Promise<ReadonlyArray<PetRow>>;

export const statementRunner = (
  factsOnceConnected: (knex: Knex) => Promise<SessionFacts>,
): { readonly run: RunStatement; readonly selectCells: SelectCells } => {
  const run = async <Row>(
    knex: Knex,
    { name, sql }: Parameters<RunStatement>[1],
    bindings: ReadonlyArray<Knex.RawBinding>,
    options: { readonly rowMode?: 'array' } = {},
  ): Promise<ReadonlyArray<Row>> => {
    const facts = await factsOnceConnected(knex);
    const query = knex.raw<{ readonly rows: ReadonlyArray<Row> }>(
      nameSchemaInSql(sql, facts.schema),
      bindings,
    );
    const isPrepared = name !== undefined && !facts.isBehindPooler;
    return (await query.options(isPrepared ? { ...options, name } : options)).rows;
  };
  return { run, selectCells: (...statement) => run<PetRow>(...statement, { rowMode: 'array' }) };
};
