import { DiagnosedError } from './errors';
import type { Connection } from './store-database';
import { type ColumnType, tables } from './tables';

const accepted: Readonly<Record<ColumnType, ReadonlyArray<string>>> = {
  text: ['text', 'key'],
  key: ['key'],
  bigint: ['bigint'],
  integer: ['integer', 'bigint'],
};

/** Error text for a database whose tables differ from this version's although its migrations have the same names. */
export const otherTablesText = (difference: string): string =>
  `${difference}: another version made the tables by a migration of the same name; restore a backup, or export the animals with that version, and import them into a new database, where a retry of an earlier create adds a second animal`;

/** Returns a text about missing tables and columns, if any. A column of another type counts as missing. */
export const findMissingColumns = async ({ knex, statements }: Connection): Promise<string | undefined> => {
  const found = await statements.readColumns(
    knex,
    tables.map(({ name }) => name),
  );
  const types = new Map(found.map(({ table, column, type }) => [`${table}.${column}`, type]));
  const foundTables = new Set(found.map(({ table }) => table));
  const lacks = tables.flatMap(({ name: table, columns }) =>
    foundTables.has(table)
      ? Object.entries(columns)
          .map(([column, need]) => [`${table}.${column}`, need] as const)
          .filter(([name, need]) => !accepted[need].includes(types.get(name) ?? ''))
          .map(([name, need]) => `${name} (${need === 'key' ? 'text collate "C"' : need})`)
      : [`table ${table}`],
  );
  return lacks.length > 0 ? otherTablesText(`the database lacks ${lacks.join(', ')}`) : undefined;
};

/** Rejects if tables or columns are missing. Call it after all migrations have run. */
export const requireColumns = async (connection: Connection): Promise<void> => {
  const fault = await findMissingColumns(connection);
  if (fault !== undefined) throw new DiagnosedError(fault);
};
