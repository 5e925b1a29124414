import { migrations } from '../../../adapters/knex/migrations/migrations';

export const migrationNames = (): ReadonlyArray<string> => Object.keys(migrations);

/** Migration that a later version of the service could have. */
export const addsColour = {
  '900_add_colour': {
    up: (knex) => knex.schema.alterTable('pets', (table) => table.text('colour')),
    down: (knex) => knex.schema.alterTable('pets', (table) => table.dropColumn('colour')),
  },
} satisfies typeof migrations;

/** Runs work as a later version of the service, which has these additional migrations. */
export const asProgramWith = async <A>(more: typeof migrations, work: () => Promise<A>): Promise<A> => {
  Object.assign(migrations, more);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(more)) Reflect.deleteProperty(migrations, name);
  }
};
