import type { Knex } from 'knex';
import type { Cell, PetRow } from '../database/pet-columns';
import type { Statement } from '../database/store-database';

/** Wraps an array for use as a query parameter. Knex's TypeScript types permit nulls in an array only in this form. */
export const arrayOf = (cells: ReadonlyArray<Cell>) => ({ toPostgres: () => [...cells] });

type Binding = Cell | number | Array<string> | ReturnType<typeof arrayOf>;

export type RunStatement = (
  knex: Knex,
  statement: Statement,
  bindings: ReadonlyArray<Binding>,
) => Promise<ReadonlyArray<PetRow>>;

/** Facts about the sessions of a pool. */
export interface SessionFacts {
  /** True behind a pooler, where prepared statements can fail. */
  readonly isBehindPooler: boolean;
  /** Schema to name in statements, because other clients of a pooler may have changed the search path. */
  readonly schema?: string | undefined;
  /** Unix time in seconds at which the certificate of the server or pooler expires. Undefined without TLS. */
  readonly certificateExpirySeconds?: number | undefined;
}

export type Qualify = (sql: string) => string;

/** Makes a function that replaces each `{name}` in SQL by the name, with its schema if that has to be named. */
export const qualifier =
  (facts: () => SessionFacts): Qualify =>
  (sql) => {
    const { schema } = facts();
    const prefix = schema === undefined ? '' : `"${schema.replaceAll('"', '""')}".`;
    return sql.replaceAll(/\{(\w*)\}/g, (_, name: string) => `${prefix}${name}`);
  };

type OptionsOf = (name?: string) => { readonly name?: string };

/** Makes a function that returns the options of a statement. A session prepares a statement with a name only once. */
export const optionsFor =
  (facts: () => SessionFacts): OptionsOf =>
  (name) =>
    name === undefined || facts().isBehindPooler ? {} : { name };

export const statementRunner =
  (qualify: Qualify, optionsOf: OptionsOf): RunStatement =>
  async (knex, { name, sql }, bindings) => {
    const query = knex.raw<{ readonly rows: ReadonlyArray<PetRow> }>(qualify(sql), bindings);
    const { rows } = await query.options({ rowMode: 'array', ...optionsOf(name) });
    return rows;
  };
