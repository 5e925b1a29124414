import { expect } from 'chai';
import { type Database, inspectDatabase, knexReadiness, migrate } from '../../../../adapters/knex';
import { migrations } from '../../../../adapters/knex/migrations/migration-source';
import { databaseKinds, type TestDatabase } from '../../../support/databases/databases';
import { run } from '../../../support/run';

const addsColour = {
  '900_add_colour': {
    up: (knex) => knex.schema.alterTable('pets', (table) => table.text('colour')),
    down: (knex) => knex.schema.alterTable('pets', (table) => table.dropColumn('colour')),
  },
} satisfies typeof migrations;

const dropsLimits = {
  '901_drop_rate_limits.generation-2': {
    up: (knex) => knex.schema.dropTable('rate_limits'),
    down: () => Promise.resolve(),
  },
} satisfies typeof migrations;

/** Runs as a program whose list of migrations has these at its end. */
const asProgramWith = async <A>(more: typeof migrations, work: () => Promise<A>): Promise<A> => {
  Object.assign(migrations, more);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(more)) Reflect.deleteProperty(migrations, name);
  }
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`Programs of two versions on one ${kind} database`, () => {
    let testDatabase: TestDatabase;
    let database: Database;

    beforeEach(async () => {
      testDatabase = await makeDatabase();
      database = testDatabase.open();
      await run(migrate(database));
    });

    afterEach(async () => {
      await database.close();
      await testDatabase.remove();
    });

    const readiness = (): Promise<string | undefined> => knexReadiness(database)();

    it('go on together where the newer one only adds', async () => {
      expect(await asProgramWith(addsColour, () => run(migrate(database)))).to.deep.equal(['900_add_colour']);
      expect(await run(migrate(database))).to.deep.equal([]);
      expect(await readiness()).to.equal(undefined);
    });

    it('do not meet where the newer one breaks the older: it waits to be told', async () => {
      await asProgramWith(dropsLimits, async () => {
        const outcome = await migrate(database)();
        expect(outcome).to.have.nested.property('left._tag', 'MigrationFailed');
        expect(outcome)
          .to.have.nested.property('left.cause.message')
          .that.matches(
            /is of generation 1, this program works with 2: stop every instance .* `animal-store migrate`/,
          );
        expect(await readiness()).to.match(/another generation/);
      });
      expect(await readiness()).to.equal(undefined);
    });

    it('part where it was told: the older does not start, is not ready, and says what to do', async () => {
      await asProgramWith(dropsLimits, async () => {
        await run(migrate(database, { mayRaiseGeneration: true }));
        expect(await readiness()).to.equal(undefined);
      });
      expect(await readiness()).to.match(/another generation/);
      const outcome = await migrate(database, { mayRaiseGeneration: true })();
      expect(outcome)
        .to.have.nested.property('left.cause.message')
        .that.matches(
          /is of generation 2, this program works with 1: run the version that made it, or restore/,
        );
      const { schema } = await run(
        inspectDatabase({ ...database, findDamage: () => Promise.resolve(undefined) }),
      );
      expect(schema).to.include({ generation: 2, expected: 1 });
    });

    it('begin an empty database with the latest generation', async () => {
      const empty = await makeDatabase();
      const opened = empty.open();
      try {
        const ran = await asProgramWith(dropsLimits, () => run(migrate(opened)));
        expect(ran.at(-1)).to.equal('901_drop_rate_limits.generation-2');
      } finally {
        await opened.close();
        await empty.remove();
      }
    });
  });
}
