import type { Knex } from 'knex';
import { engineOf } from '../database/engine';
import { migrationTable } from '../database/tables';
import { changeRecordsMigration } from './change-records-migration';

/**
 * Tables of the first migration. Existing databases have these tables, so a change needs a new migration. Times are
 * milliseconds since 1970.
 */
const initialTables: Readonly<Record<string, (table: Knex.CreateTableBuilder) => void>> = {
  pets: (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable().checkLength('<=', 1_000);
    table.bigInteger('category_id').notNullable();
    table.text('status').checkIn(['available', 'pending', 'sold']);
    table.index(['status', 'id'], 'pets_by_status');
    table.index(['category_id', 'id'], 'pets_by_category');
  },
  idempotency_keys: (table) => {
    table.text('owner_id').notNullable();
    table.text('idempotency_key').notNullable();
    table.text('content_hash').notNullable();
    table.bigInteger('pet_id').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.primary(['owner_id', 'idempotency_key']);
    table.index(['expires_at'], 'idempotency_keys_by_expires_at');
  },
  api_keys: (table) => {
    table.text('id').primary();
    table.text('owner_id').notNullable();
    table.text('name').notNullable();
    table.text('hash').notNullable().unique();
    table.text('last_four').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('revoked_at');
    table.bigInteger('expires_at');
    table.bigInteger('lifetime_ms');
    table.text('access').notNullable().defaultTo('full').checkIn(['full', 'read-only']);
  },
  heartbeats: (table) => {
    table.integer('id').primary();
    table.bigInteger('beaten_at').notNullable();
  },
  rate_limits: (table) => {
    table.string('key').primary();
    table.integer('points').notNullable().defaultTo(0);
    table.bigInteger('expire');
  },
};

const initialMigration: Knex.Migration = {
  up: async (knex) => {
    // Throws for unsupported clients of Knex, as `hostDatabase` does, because a host may run the migrations first.
    engineOf(knex);
    for (const [name, columns] of Object.entries(initialTables)) await knex.schema.createTable(name, columns);
  },
  down: async (knex) => {
    for (const name of Object.keys(initialTables).reverse()) await knex.schema.dropTable(name);
  },
};

const addLastUse: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.alterTable('api_keys', (table) => table.bigInteger('last_used_at'));
    // Records a use of each key now. Earlier uses are unknown, and a key in use must not appear to be unused.
    await knex('api_keys').update({ last_used_at: Date.now() });
  },
  down: (knex) => knex.raw('alter table api_keys drop column last_used_at'),
};

interface KeyTable {
  readonly name: string;
  readonly columns: ReadonlyArray<string>;
  /** SQL that deletes the rows with repeated keys. Only for a table whose primary key consists of all `columns`. */
  readonly deleteRepeated?: string;
}

// Lists `api_keys` last, because no request is answered while that table is locked.
const keyTables: ReadonlyArray<KeyTable> = [
  {
    name: 'idempotency_keys',
    columns: ['owner_id', 'idempotency_key'],
    deleteRepeated: `delete from idempotency_keys as repeated using (
          select owner_id, idempotency_key, min(pet_id) as pet_id from idempotency_keys group by 1, 2 having count(*) > 1
        ) as kept where repeated.owner_id = kept.owner_id and repeated.idempotency_key = kept.idempotency_key
          and repeated.pet_id > kept.pet_id`,
  },
  { name: 'rate_limits', columns: ['key'], deleteRepeated: 'delete from rate_limits' },
  { name: 'api_keys', columns: ['id', 'hash'] },
];

/**
 * Returns a statement that changes columns to the collation "C". With `deleteRepeated`, the statement deletes repeated
 * keys, which a unique index misses after the operating system has changed its sort order. On Citus, it undistributes
 * the table first, because a distribution column can't change.
 */
const sortByBytes = ({ name, columns, deleteRepeated }: KeyTable): string => {
  const alter = `alter table ${name} ${columns.map((column) => `alter ${column} type text collate "C"`).join(', ')};`;
  const repair = `exception when unique_violation then
        alter table ${name} drop constraint ${name}_pkey;
        ${deleteRepeated};
        ${alter}
        alter table ${name} add primary key (${columns.join(', ')});`;
  return `do $$
    declare
      shards integer := 0;
      place text;
    begin
      if to_regclass('pg_catalog.pg_dist_partition') is not null then
        select count(*), min(column_to_column_name(logicalrelid, partkey)) into shards, place
          from pg_dist_shard join pg_dist_partition using (logicalrelid)
          where logicalrelid = '${name}'::regclass and partmethod = 'h';
        if shards > 0 then perform undistribute_table('${name}'); end if;
      end if;
      begin
        ${alter}
      ${deleteRepeated === undefined ? '' : repair}
      end;
      if shards > 0 then
        perform create_distributed_table('${name}', place, shard_count := shards, colocate_with := 'none');
      end if;
    end $$`;
};

/**
 * Makes the order of keys independent of the operating system, whose updates may change the order of its locales. An
 * index that was built in another order misses rows. The index of `status` stays, because all locales order its three
 * words alike.
 */
const sortKeysByBytes: Knex.Migration = {
  up: async (knex) => {
    if (engineOf(knex) === 'PostgreSQL') for (const table of keyTables) await knex.raw(sortByBytes(table));
  },
  // Undoes nothing, because earlier versions also work with keys that are sorted by bytes.
  down: () => Promise.resolve(),
};

/**
 * Migrations by name, in the order in which they run. Versions of the program that need the same generation of the
 * schema can share a database. The first generation is 1; 0 means that no migration has run. A migration that breaks
 * earlier versions begins the next generation, and its name says so: `012_drop_status.generation-2`. A migration that
 * restricts access, such as by an expiry of keys, also begins a generation, because earlier versions would ignore the
 * restriction.
 */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '001_create_tables': initialMigration,
  '002_add_last_use_of_keys': addLastUse,
  '003_sort_keys_by_bytes': sortKeysByBytes,
  '004_record_changes': changeRecordsMigration,
};

/** Migration with its name in the property `file`, which Knex's command `migrate:list` prints. */
interface NamedMigration {
  readonly file: string;
  readonly migration: Knex.Migration;
}

/**
 * Configuration of Knex's migrator. Accepts a database in which a newer version has run more migrations, so that this
 * version can still use it.
 */
export const migrationConfig: Knex.MigratorConfig = {
  migrationSource: {
    getMigrations: () =>
      Promise.resolve(Object.entries(migrations).map(([file, migration]) => ({ file, migration }))),
    getMigrationName: ({ file }: NamedMigration) => file,
    getMigration: ({ migration }: NamedMigration) => Promise.resolve(migration),
  },
  tableName: migrationTable,
  disableMigrationsListValidation: true,
};
