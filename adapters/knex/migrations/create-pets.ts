import type { Knex } from 'knex';

export const createPets: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.createTable('pets', (table) => {
      table.bigIncrements('id');
      table.text('name').notNullable();
      table.bigInteger('category_id').notNullable();
      table.text('status').checkIn(['available', 'pending', 'sold']);
      table.index(['status', 'id'], 'pets_by_status');
    });
  },
  down: async (knex) => {
    await knex.schema.dropTable('pets');
  },
};
