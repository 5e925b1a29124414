import { migrations } from '../../../adapters/knex/migrations/migrations';

const [initialMigration] = Object.values(migrations);
if (initialMigration === undefined) throw new Error('there is no migration');
const { up } = initialMigration;

/**
 * Replaces the initial migration by one that creates its tables, prints a line and never ends, so that a test can
 * interrupt it. The command line loads this file first.
 */
initialMigration.up = async (knex) => {
  await up(knex);
  process.stderr.write('amid the migrations\n');
  await new Promise(() => setInterval(() => undefined, 1_000));
};
