/* Queries of PostgreSQL's catalog for the tables, columns and rights of a store. */

import type { Knex } from 'knex';
import type { Statements } from '../database/store-database';

/** Looks the table up in the catalog, because Knex's `hasTable` misses a table on which the role has no right. */
export const hasTable = async (knex: Knex, schema: string | undefined, name: string): Promise<boolean> => {
  const { exists } = await knex.first<{ readonly exists: boolean }>(
    knex.raw(
      "to_regclass(quote_ident(coalesce(?, current_schema())) || '.' || quote_ident(?)) is not null as exists",
      [schema ?? null, name],
    ),
  );
  return exists;
};

export const readColumns = async (knex: Knex, schema: string | undefined, tables: ReadonlyArray<string>) => {
  const { rows } = await knex.raw<{ readonly rows: Awaited<ReturnType<Statements['readColumns']>> }>(
    `select relname as "table", attname as "column", case
       when atttypid not in ('text'::regtype, 'varchar'::regtype) then format_type(atttypid, null)
       when (select collname from pg_collation where pg_collation.oid = attcollation) = 'C' then 'key' else 'text'
     end as type
     from pg_class join pg_attribute on attrelid = pg_class.oid
     where relnamespace = quote_ident(coalesce(?, current_schema()))::regnamespace and relname = any(?) and attnum > 0`,
    [schema ?? null, [...tables]],
  );
  return rows;
};
