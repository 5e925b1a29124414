import type { Knex } from 'knex';
import { engineOf } from '../database/engine';
import type { Statements } from '../database/store-database';

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
    // Throws for unsupported clients of Knex. `hostDatabase` does too, but a host may run the migrations first.
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
    // Earlier uses are unknown. The keys count as used now, so that none appears to be unused.
    await knex('api_keys').update({ last_used_at: Date.now() });
  },
  down: (knex) => knex.raw('alter table api_keys drop column last_used_at'),
};

/**
 * Migrations by name, in the order in which they run. Versions of the program that need the same generation of the
 * schema can share a database. The first generation is 1; 0 means that no migration has run. A migration that breaks
 * earlier versions begins the next generation, and its name says so: `012_drop_status.generation-2`. A migration that
 * restricts access, such as by an expiry of keys, also begins one, because earlier versions would ignore the
 * restriction.
 */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '001_create_tables': initialMigration,
  '002_add_last_use_of_keys': addLastUse,
};

/** Migration with its name in the property `file`, which Knex's command `migrate:list` prints. */
interface NamedMigration {
  readonly file: string;
  readonly migration: Knex.Migration;
}

const migrationTable = 'animal_store_migrations';

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

export interface SchemaState {
  readonly pending: ReadonlyArray<string>;
  readonly unknown: ReadonlyArray<string>;
  readonly generation: number;
  readonly expectedGeneration: number;
}

const generationOf = (names: ReadonlyArray<string>): number =>
  Math.max(1, ...names.map((name) => Number(/\.generation-(\d+)$/.exec(name)?.[1] ?? 1)));

export const readSchemaState = async (
  knex: Knex,
  { hasTable }: Pick<Statements, 'hasTable'>,
): Promise<SchemaState> => {
  const known = Object.keys(migrations);
  const names = (await hasTable(knex, migrationTable))
    ? await knex(migrationTable).orderBy('id').pluck<Array<string>>('name')
    : [];
  return {
    pending: known.filter((name) => !names.includes(name)),
    unknown: names.filter((name) => !known.includes(name)),
    generation: names.length === 0 ? 0 : generationOf(names),
    expectedGeneration: generationOf(known),
  };
};

export const generationMismatch = ({ generation, expectedGeneration }: SchemaState): string | undefined => {
  if (generation === 0 || generation === expectedGeneration) return undefined;
  const generations = `schema generation ${generation}; this version works with ${expectedGeneration}`;
  return generation > expectedGeneration
    ? `a newer version of animal-store has migrated the database (${generations}); run that version, or restore a backup made before the migration`
    : `an earlier version of animal-store made the tables (${generations}); stop every instance of an earlier version, make a backup, then run \`animal-store migrate\``;
};
