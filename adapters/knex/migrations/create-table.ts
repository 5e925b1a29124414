import type { Knex } from 'knex';

/** A migration that makes a table, and drops it again. */
export const createTable = (
  name: string,
  columns: (table: Knex.CreateTableBuilder) => void,
): Knex.Migration => ({
  up: async (knex) => {
    await knex.schema.createTable(name, columns);
  },
  down: async (knex) => {
    await knex.schema.dropTable(name);
  },
});
