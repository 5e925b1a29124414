import type { Knex } from 'knex';
import { DiagnosedError } from './errors';
import { petColumns } from './pet-columns';
import type { ReadColumns } from './store-database';

/** Type of a column. A `key` is a text that the database sorts by its bytes. */
type ColumnType = 'text' | 'key' | 'bigint' | 'integer';

/** Columns that the statements of this program use, by table. A database may have more. */
export const requiredColumns: Readonly<Record<string, Readonly<Record<string, ColumnType>>>> = {
  pets: {
    ...Object.fromEntries(petColumns.map(({ name, type }) => [name, type])),
    created_at: 'bigint',
    created_by: 'text',
  },
  idempotency_keys: {
    owner_id: 'key',
    idempotency_key: 'key',
    content_hash: 'text',
    pet_id: 'bigint',
    expires_at: 'bigint',
  },
  api_keys: {
    id: 'key',
    owner_id: 'text',
    name: 'text',
    hash: 'key',
    last_four: 'text',
    access: 'text',
    created_at: 'bigint',
    revoked_at: 'bigint',
    expires_at: 'bigint',
    lifetime_ms: 'bigint',
    last_used_at: 'bigint',
  },
  heartbeats: { id: 'integer', beaten_at: 'bigint' },
  rate_limits: { key: 'key', points: 'integer', expire: 'bigint' },
  animal_store_changes: {
    id: 'key',
    changed_at: 'bigint',
    operator: 'text',
    action: 'text',
    key_id: 'key',
    ...Object.fromEntries(petColumns.map(({ name, type }) => [name === 'id' ? 'pet_id' : name, type])),
    created_at: 'bigint',
    created_by: 'text',
  },
};

const accepted: Readonly<Record<ColumnType, ReadonlyArray<string>>> = {
  text: ['text', 'key'],
  key: ['key'],
  bigint: ['bigint'],
  integer: ['integer', 'bigint'],
};

/**
 * Describes a database whose migrations have the same names as those of this version, but have made other tables, and
 * says what to do.
 */
export const otherTablesText = (difference: string): string =>
  `${difference}: another version made the tables by a migration of the same name; restore a backup, or export the animals with that version, and import them into a new database, where a retry of an earlier create adds a second animal`;

/** Returns what a database lacks, tables or columns, or undefined. A column of another type counts as missing. */
export const findMissingColumns = async (
  knex: Knex,
  { readColumns }: ReadColumns,
): Promise<string | undefined> => {
  const columns = await readColumns(knex, Object.keys(requiredColumns));
  const types = new Map(columns.map(({ table, column, type }) => [`${table}.${column}`, type]));
  const tables = new Set(columns.map(({ table }) => table));
  const lacks = Object.entries(requiredColumns).flatMap(([table, needed]) =>
    tables.has(table)
      ? Object.entries(needed)
          .map(([column, need]) => [`${table}.${column}`, need] as const)
          .filter(([name, need]) => !accepted[need].includes(types.get(name) ?? ''))
          .map(([name, need]) => `${name} (${need === 'key' ? 'text collate "C"' : need})`)
      : [`table ${table}`],
  );
  return lacks.length > 0 ? otherTablesText(`the database lacks ${lacks.join(', ')}`) : undefined;
};

/** Rejects if a database lacks tables or columns after all migrations have run. */
export const checkColumns = async (knex: Knex, statements: ReadColumns): Promise<void> => {
  const fault = await findMissingColumns(knex, statements);
  if (fault !== undefined) throw new DiagnosedError(fault);
};
