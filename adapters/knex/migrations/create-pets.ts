import { createTable } from './create-table';

export const createPets = createTable('pets', (table) => {
  table.bigIncrements('id');
  table.text('name').notNullable();
  table.bigInteger('category_id').notNullable();
  table.text('status').checkIn(['available', 'pending', 'sold']);
  table.index(['status', 'id'], 'pets_by_status');
});
