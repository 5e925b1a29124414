import { createTable } from './create-table';

/** The columns that rate-limiter-flexible works with. */
export const createRateLimits = createTable('rate_limits', (table) => {
  table.string('key').primary();
  table.integer('points').notNullable().defaultTo(0);
  table.bigInteger('expire');
});
