import { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { migrations } from '../../../dist/adapters/knex/migrations/migrations.js';

/** Migrations of other versions, of which TEST_MIGRATIONS names one. The service loads this file first. */
const versions = {
  adds: {
    '900_add_colour': {
      up: (knex) => knex.schema.alterTable('pets', (table) => table.text('colour')),
      down: (knex) => knex.schema.alterTable('pets', (table) => table.dropColumn('colour')),
    },
  },
  breaks: {
    '901_rename_colour.generation-2': {
      up: (knex) => knex.schema.alterTable('pets', (table) => table.text('hue')),
      down: (knex) => knex.schema.alterTable('pets', (table) => table.dropColumn('hue')),
    },
  },
  takesLong: {
    '900_takes_long': {
      up: (knex) => (knex.client.config.client === 'pg' ? knex.raw('select pg_sleep(31)') : delay(31_000)),
      down: () => Promise.resolve(),
    },
  },
};

Object.assign(migrations, versions[env.TEST_MIGRATIONS]);
