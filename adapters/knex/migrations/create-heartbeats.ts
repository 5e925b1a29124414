import type { Knex } from 'knex';

export const createHeartbeats: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.createTable('heartbeats', (table) => {
      table.integer('id').primary();
      table.bigInteger('beaten_at').notNullable();
    });
  },
  down: async (knex) => {
    await knex.schema.dropTable('heartbeats');
  },
};
