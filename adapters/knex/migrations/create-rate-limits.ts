import type { Knex } from 'knex';

/** The columns that rate-limiter-flexible works with. */
export const createRateLimits: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.createTable('rate_limits', (table) => {
      table.string('key').primary();
      table.integer('points').notNullable().defaultTo(0);
      table.bigInteger('expire');
    });
  },
  down: async (knex) => {
    await knex.schema.dropTable('rate_limits');
  },
};
