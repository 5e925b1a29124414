import { createTable } from './create-table';

export const createHeartbeats = createTable('heartbeats', (table) => {
  table.integer('id').primary();
  table.bigInteger('beaten_at').notNullable();
});
