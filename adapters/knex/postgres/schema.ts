/*
 * Decides in which schema the tables are. The search path of a session selects it: the first schema of the path that
 * exists. Behind a pooler, other clients of the pooler may have changed the path of the session, so statements name the
 * schema. `nameSchemaInQueries` adds it to query builders of Knex. In raw SQL, `nameSchemaInSql` adds it to tables in
 * braces, and replaces `{current_schema}`. Migrations can't name the schema, because Knex makes some of their
 * statements. Their transactions reset the search path instead.
 */

import type { Knex } from 'knex';
import type { Session } from './sessions';

/**
 * True if the address of a database sets `search_path`. Statements then need not name the schema, because a pooler that
 * accepts this parameter keeps a separate path for each client.
 */
export const setsSearchPath = (address: string): boolean => {
  const options = new URLSearchParams(/\?.*/s.exec(address)?.[0]).getAll('options').at(-1) ?? '';
  return /search[_-]path=/.test(options);
};

export const textLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Replaces `{current_schema}` and the tables in braces, such as `{pets}`. */
export const nameSchemaInSql = (sql: string, schema: string | undefined): string => {
  const prefix = schema === undefined ? '' : `"${schema.replaceAll('"', '""')}".`;
  return sql
    .replaceAll('{current_schema}', () => (schema === undefined ? 'current_schema()' : textLiteral(schema)))
    .replaceAll(/\{(\w+)\}/g, (_, table: string) => `${prefix}${table}`);
};

export const nameSchemaInQueries = (pool: Knex, schemaToName: () => string | undefined): void => {
  // Skips raw SQL, whose builder has no `withSchema`.
  pool.on('start', (builder: Partial<Pick<Knex.QueryBuilder, 'withSchema'>>) => {
    const schema = schemaToName();
    if (schema !== undefined) builder.withSchema?.(schema);
  });
};

export const resetSearchPath =
  "select set_config('search_path', reset_val, true) from pg_settings where name = 'search_path';";

/**
 * Returns the first existing schema of the session's initial search path. Does not use `current_schema()`, because
 * another client of a pooler may have changed it.
 */
export const findSchema = async (session: Session): Promise<string | undefined> => {
  const { rows } = await session.query<{
    readonly path: string;
    readonly role: string;
    readonly schemas: ReadonlyArray<string>;
  }>(
    `select reset_val as path, current_user::text as role,
       array(select nspname::text from pg_namespace where has_schema_privilege(oid, 'usage')) as schemas
     from pg_settings where name = 'search_path'`,
  );
  const [{ path, role, schemas } = { path: '', role: '', schemas: [] }] = rows;
  const names = path.split(',').map((part) => {
    const name = part.trim();
    return name.startsWith('"') ? name.slice(1, -1).replaceAll('""', '"') : name.toLowerCase();
  });
  return names.map((name) => (name === '$user' ? role : name)).find((name) => schemas.includes(name));
};
