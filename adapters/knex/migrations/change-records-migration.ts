import type { Knex } from 'knex';
import { engineOf } from '../database/engine';

/** Adds a column of texts that the database compares by their bytes. */
const key = (knex: Knex, table: Knex.CreateTableBuilder, name: string): Knex.ColumnBuilder =>
  engineOf(knex) === 'PostgreSQL' ? table.specificType(name, 'text collate "C"') : table.text(name);

/**
 * Adds columns for who created an animal and when, and a table of the changes that operators make. Earlier versions
 * leave the columns empty. The columns have no defaults, so adding them reads no rows.
 */
export const changeRecordsMigration: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.alterTable('pets', (table) => {
      table.bigInteger('created_at');
      table.text('created_by');
    });
    await knex.schema.createTable('animal_store_changes', (table) => {
      key(knex, table, 'id').primary();
      table.bigInteger('changed_at').notNullable();
      table.text('operator');
      table.text('action').notNullable();
      key(knex, table, 'key_id');
      table.bigInteger('pet_id');
      table.text('name');
      table.bigInteger('category_id');
      table.text('status');
      table.bigInteger('created_at');
      table.text('created_by');
      table.index(['pet_id'], 'animal_store_changes_by_pet');
      table.index(['key_id'], 'animal_store_changes_by_key');
    });
  },
  down: async (knex) => {
    await knex.schema.dropTable('animal_store_changes');
    for (const column of ['created_at', 'created_by'])
      await knex.raw('alter table pets drop column ??', [column]);
  },
};
