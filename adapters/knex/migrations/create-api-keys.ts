import type { Knex } from 'knex';

export const createApiKeys: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.createTable('api_keys', (table) => {
      table.text('id').primary();
      table.text('name').notNullable();
      table.text('digest').notNullable().unique();
      table.text('last_four').notNullable();
      table.text('created_at').notNullable();
      table.text('revoked_at');
    });
  },
  down: async (knex) => {
    await knex.schema.dropTable('api_keys');
  },
};
