import { createTable } from './create-table';

export const createCreationKeys = createTable('creation_keys', (table) => {
  table.text('caller').notNullable();
  table.text('idempotency_key').notNullable();
  table.bigInteger('pet_id').notNullable();
  table.bigInteger('kept_until').notNullable();
  table.primary(['caller', 'idempotency_key']);
  table.index(['kept_until'], 'creation_keys_by_kept_until');
});
