import type { Knex } from 'knex';

/** Tables of the first migration. Frozen: a change needs a new migration. */
const initialTables: Readonly<Record<string, (table: Knex.CreateTableBuilder) => void>> = {
  pets: (table) => {
    table.bigIncrements('id');
    table.text('name').notNullable();
    table.bigInteger('category_id').notNullable();
    table.text('status').checkIn(['available', 'pending', 'sold']);
    table.index(['status', 'id'], 'pets_by_status');
  },
  creation_keys: (table) => {
    table.text('owner_id').notNullable();
    table.text('idempotency_key').notNullable();
    table.bigInteger('pet_id').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.primary(['owner_id', 'idempotency_key']);
    table.index(['expires_at'], 'creation_keys_by_expires_at');
  },
  api_keys: (table) => {
    table.text('id').primary();
    table.text('owner_id').notNullable();
    table.text('name').notNullable();
    table.text('digest').notNullable().unique();
    table.text('last_four').notNullable();
    table.text('created_at').notNullable();
    table.text('revoked_at');
    table.text('expires_at');
    table.bigInteger('lifetime_ms');
  },
  heartbeats: (table) => {
    table.integer('id').primary();
    table.bigInteger('beaten_at').notNullable();
  },
  // Columns that rate-limiter-flexible expects.
  rate_limits: (table) => {
    table.string('key').primary();
    table.integer('points').notNullable().defaultTo(0);
    table.bigInteger('expire');
  },
};

const initialMigration: Knex.Migration = {
  up: async (knex) => {
    for (const [name, columns] of Object.entries(initialTables)) await knex.schema.createTable(name, columns);
  },
  down: async (knex) => {
    for (const name of Object.keys(initialTables).reverse()) await knex.schema.dropTable(name);
  },
};

/**
 * Migrations by name, in order. Programs of one schema generation run side by side. A migration that breaks older
 * programs begins the next generation, as its name says: `012_drop_status.generation-2`. So does a migration that
 * restricts access, such as an expiry of keys, because an older program would ignore the restriction.
 */
export const migrations: Readonly<Record<string, Knex.Migration>> = {
  '001_create_tables': initialMigration,
};

const generationMark = /\.generation-([0-9]+)$/;

export const generationBegunBy = (name: string): number | undefined => {
  const [, generation] = generationMark.exec(name) ?? [];
  return generation === undefined ? undefined : Number(generation);
};

interface NamedMigration {
  /** The command `knex migrate:list` prints `file`. */
  readonly file: string;
  readonly migration: Knex.Migration;
}

export const migrationSource: Knex.MigrationSource<NamedMigration> = {
  getMigrations: () =>
    Promise.resolve(Object.entries(migrations).map(([file, migration]) => ({ file, migration }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ migration }) => Promise.resolve(migration),
};

export const migrationTable = 'animal_store_migrations';

/** Configuration for Knex to run the migrations. Migrations that only a newer program knows are ignored. */
export const migrationConfig: Knex.MigratorConfig = {
  migrationSource,
  tableName: migrationTable,
  disableMigrationsListValidation: true,
};
