import { storedColumns } from './pet-columns';

/** Type of a column. A `key` is a text that the database sorts by its bytes. */
export type ColumnType = 'text' | 'key' | 'bigint' | 'integer';

type Right = 'select' | 'insert' | 'update' | 'delete';

export interface Table {
  readonly name: string;
  /** Columns that the statements of this program use. A database may have more. */
  readonly columns: Readonly<Record<string, ColumnType>>;
  /**
   * Rights that `serve` needs on PostgreSQL. The grants in deploy/postgres have more, for other commands. `serve`
   * updates no idempotency keys, but it locks them by `select ... for share`, which needs the right to update.
   */
  readonly rights: ReadonlyArray<Right>;
}

/** Table whose rows are contents of a store, which a copy transfers. */
export interface ContentTable extends Table {
  /** Name of a row in messages. */
  readonly noun: string;
  readonly primaryKey: ReadonlyArray<string>;
}

const petColumnTypes = (idColumn: string): Table['columns'] =>
  Object.fromEntries(storedColumns.map(({ name, type }) => [name === 'id' ? idColumn : name, type]));

export const changesTable = 'animal_store_changes';

export const contentTables: ReadonlyArray<ContentTable> = [
  {
    name: 'pets',
    noun: 'animal',
    primaryKey: ['id'],
    rights: ['select', 'insert'],
    columns: petColumnTypes('id'),
  },
  {
    name: 'api_keys',
    noun: 'API key',
    primaryKey: ['id'],
    rights: ['select', 'update'],
    columns: {
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
  },
  {
    name: 'idempotency_keys',
    noun: 'idempotency key',
    primaryKey: ['owner_id', 'idempotency_key'],
    rights: ['select', 'insert', 'update', 'delete'],
    columns: {
      owner_id: 'key',
      idempotency_key: 'key',
      content_hash: 'text',
      pet_id: 'bigint',
      expires_at: 'bigint',
    },
  },
  {
    name: changesTable,
    noun: 'recorded change',
    primaryKey: ['id'],
    rights: [],
    columns: {
      id: 'key',
      changed_at: 'bigint',
      operator: 'text',
      action: 'text',
      key_id: 'key',
      ...petColumnTypes('pet_id'),
    },
  },
];

/** All tables. A copy leaves out the rows of `heartbeats` and `rate_limits`, which are of use only for a short time. */
export const tables: ReadonlyArray<Table> = [
  ...contentTables,
  {
    name: 'heartbeats',
    rights: ['select', 'insert', 'update'],
    columns: { id: 'integer', beaten_at: 'bigint' },
  },
  {
    name: 'rate_limits',
    // Requires no rights, because a process that may not use this table counts requests in memory.
    rights: [],
    columns: { key: 'key', points: 'integer', expire: 'bigint' },
  },
];

export const migrationTable = 'animal_store_migrations';

/** Names of all tables of a store, including those of Knex. Other tables in the database belong to other programs. */
export const storeTables: ReadonlyArray<string> = [
  ...tables.map(({ name }) => name),
  migrationTable,
  `${migrationTable}_lock`,
];
