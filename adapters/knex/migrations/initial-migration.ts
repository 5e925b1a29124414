import type { Knex } from 'knex';

const tables: Readonly<Record<string, (table: Knex.CreateTableBuilder) => void>> = {
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

export const initialMigration: Knex.Migration = {
  up: async (knex) => {
    for (const [name, columns] of Object.entries(tables)) await knex.schema.createTable(name, columns);
  },
  down: async (knex) => {
    for (const name of Object.keys(tables).reverse()) await knex.schema.dropTable(name);
  },
};
