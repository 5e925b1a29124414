import type { Knex } from 'knex';

/** Both may be missing: a key without an owner is its own, by its id, as each was before there were owners. */
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
