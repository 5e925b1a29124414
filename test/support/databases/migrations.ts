import { migrations } from '../../../adapters/knex/migrations/migrations';
import { migrationSource } from '../../../adapters/knex';

/** The names of the service's migrations, in order. */
export const migrationNames = async (): Promise<ReadonlyArray<string>> =>
  (await migrationSource.getMigrations([])).map((migration) => migrationSource.getMigrationName(migration));

/** A migration that adds a column, as a later version may have it. */
export const addsColour = {
  '900_add_colour': {
    up: (knex) => knex.schema.alterTable('pets', (table) => table.text('colour')),
    down: (knex) => knex.schema.alterTable('pets', (table) => table.dropColumn('colour')),
  },
} satisfies typeof migrations;

/** Runs work as a later version of the program, whose list of migrations ends with these. */
export const asProgramWith = async <A>(more: typeof migrations, work: () => Promise<A>): Promise<A> => {
  Object.assign(migrations, more);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(more)) Reflect.deleteProperty(migrations, name);
  }
};
