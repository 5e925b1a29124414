import { expect } from 'chai';
import type { Knex } from 'knex';
import { type Database, knexReadiness, migrate } from '../../../../adapters/knex';
import { databaseKinds, type TestDatabase } from '../../../support/databases/databases';
import { migrationNames } from '../../../support/databases/migrations';
import { run } from '../../../support/run';

/** A host that keeps visitors, with migrations as knex has them by default. */
const host: Knex.MigratorConfig = {
  tableName: 'knex_migrations',
  disableMigrationsListValidation: false,
  migrationSource: {
    getMigrations: () => Promise.resolve(['20260101_visitors', '20260201_tickets']),
    getMigrationName: String,
    getMigration: (name: unknown): Promise<Knex.Migration> => {
      const table = String(name).slice('20260101_'.length);
      return Promise.resolve({
        up: (knex) => knex.schema.createTable(table, (columns) => columns.increments()),
        down: (knex) => knex.schema.dropTable(table),
      });
    },
  },
};

const tables = ['visitors', 'tickets'];

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A host with migrations of its own, on ${kind}`, () => {
    let testDatabase: TestDatabase;
    let database: Database;
    let names: ReadonlyArray<string>;

    beforeEach(async () => {
      testDatabase = await makeDatabase();
      database = testDatabase.open();
      names = await migrationNames();
    });

    afterEach(async () => {
      await database.close();
      await testDatabase.remove();
    });

    const expectHostTables = async (isThere: boolean): Promise<void> => {
      for (const table of tables)
        expect(await database.writes.schema.hasTable(table), table).to.equal(isThere);
    };

    const expectReady = async (): Promise<void> => {
      expect(await knexReadiness(database)()).to.equal(undefined);
    };

    it('migrates first, and the store after it; both roll back and come again', async () => {
      await database.writes.migrate.latest(host);
      expect(await run(migrate(database))).to.deep.equal(names);
      await expectReady();
      await database.writes.migrate.rollback(host);
      await expectHostTables(false);
      await expectReady();
      await database.writes.migrate.latest(host);
      await expectHostTables(true);
      expect(await run(migrate(database))).to.deep.equal([]);
    });

    it('migrates after the store, and rolls back its own alone', async () => {
      expect(await run(migrate(database))).to.deep.equal(names);
      await database.writes.migrate.latest(host);
      await expectHostTables(true);
      await database.writes.migrate.rollback(host, true);
      await expectHostTables(false);
      await expectReady();
      expect(await run(migrate(database))).to.deep.equal([]);
    });

    it('has a table of a name that the store wants: nothing is made, and the failure is for good', async () => {
      await database.writes.schema.createTable('pets', (table) => table.text('of_the_host'));
      const outcome = await migrate(database)();
      expect(outcome).to.have.nested.property('left._tag', 'MigrationFailed');
      expect(outcome)
        .to.have.nested.property('left.cause.message')
        .that.matches(/pets belongs to another program: use a separate database/);
      expect(await database.writes.schema.hasTable('animal_store_migrations')).to.equal(false);
    });
  });
}
