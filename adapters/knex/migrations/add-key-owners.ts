import type { Knex } from 'knex';

/** Both may be null: a key without an owner is its own owner, by its id, as the keys of earlier versions are. */
export const addKeyOwners: Knex.Migration = {
  up: async (knex) => {
    await knex.schema.alterTable('api_keys', (table) => {
      table.text('owner');
      table.text('expires_at');
    });
  },
  down: async (knex) => {
    await knex.schema.alterTable('api_keys', (table) => {
      table.dropColumns('owner', 'expires_at');
    });
  },
};
