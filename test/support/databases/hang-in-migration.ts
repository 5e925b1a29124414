import { migrations } from '../../../adapters/knex/migrations/migrations';

const [initialMigration] = Object.values(migrations);
if (initialMigration === undefined) throw new Error('there is no migration');
const { up } = initialMigration;

/** Preloaded into the command line: the initial migration creates its tables, reports that and never ends. */
initialMigration.up = async (knex) => {
  await up(knex);
  process.stderr.write('amid the migrations\n');
  await new Promise(() => setInterval(() => undefined, 1_000));
};
