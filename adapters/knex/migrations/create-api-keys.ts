import { createTable } from './create-table';

export const createApiKeys = createTable('api_keys', (table) => {
  table.text('id').primary();
  table.text('name').notNullable();
  table.text('digest').notNullable().unique();
  table.text('last_four').notNullable();
  table.text('created_at').notNullable();
  table.text('revoked_at');
});
