import { expect } from 'chai';
import { mock } from 'node:test';
import type { Knex } from 'knex';
import {
  apiKeyStore,
  type OpenedDatabase,
  knexReadiness,
  migrate,
  migrationConfig,
} from '../../../../adapters/knex';
import { migrations } from '../../../../adapters/knex/migrations/migrations';
import { readSchemaState } from '../../../../adapters/knex/migrations/schema-state';
import {
  databaseKinds,
  mostWriters,
  postgresWith,
  sqliteFile,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';

const names = Object.keys(migrations);
const tables = ['pets', 'idempotency_keys', 'api_keys', 'heartbeats', 'rate_limits'];

const pendingIn = async ({ readPool, statements }: OpenedDatabase): Promise<ReadonlyArray<string>> =>
  (await readSchemaState({ knex: readPool, statements })).pending;

const tablesThere = async ({ readPool }: OpenedDatabase): Promise<ReadonlyArray<string>> => {
  const there = await Promise.all(tables.map((table) => readPool.schema.hasTable(table)));
  return tables.filter((_, index) => there[index]);
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the migrations on ${kind}`, () => {
    const use = (test: (database: OpenedDatabase, open: () => OpenedDatabase) => Promise<void>) =>
      withEmptyDatabase(makeDatabase, test);

    it('run once, and again after they are rolled back to an empty database', () =>
      use(async (database) => {
        for (let round = 0; round < 2; round += 1) {
          expect(await pendingIn(database)).to.deep.equal(names);
          expect(await success(migrate(database))).to.deep.equal(names);
          expect(await pendingIn(database)).to.deep.equal([]);
          expect(await success(migrate(database))).to.deep.equal([]);
          expect(await tablesThere(database)).to.deep.equal(tables);
          await database.writePool.migrate.rollback(migrationConfig, true);
          expect(await tablesThere(database)).to.deep.equal([]);
        }
      }));

    it('count keys of earlier versions as used, so that none is marked as unused', () =>
      use(async (database) => {
        await success(migrate(database));
        await database.writePool.migrate.down({ ...migrationConfig, name: '002_add_last_use_of_keys' });
        const old = {
          id: 'old',
          owner_id: 'old',
          name: 'old',
          hash: 'old',
          last_four: 'last',
          created_at: 1,
        };
        await database.writePool('api_keys').insert(old);
        await success(migrate(database));
        expect(await success(apiKeyStore(database).list)).to.have.nested.property('[0].isUnused', false);
      }));

    it('run once when four start at the same time', () =>
      use(async (_database, open) => {
        const ran = await Promise.all(Array.from({ length: mostWriters }, () => success(migrate(open()))));
        expect(ran.flat()).to.deep.equal(names);
      }));

    it('wait for no other process if none is pending', () =>
      use(async (database, open) => {
        const other = open();
        await success(migrate(database));
        await other.withStoreLock(async () => {
          expect(await success(migrate(database))).to.deep.equal([]);
        });
      }));

    it('stop waiting for another process when their signal is aborted', () =>
      use(async (database, open) => {
        const controller = new AbortController();
        const { signal } = controller;
        const onProgress = () => {
          controller.abort();
        };
        await open().withStoreLock(async () => {
          const outcome = await migrate(database, { onProgress, signal })();
          expect(outcome).to.have.nested.property('left.cause.message', 'The operation was aborted');
        });
      }));

    it('print nothing and leave nothing behind when one fails by a table of another program', () =>
      use(async (database) => {
        await database.writePool.schema.createTable('heartbeats', (columns) => columns.text('foreign'));
        const log = mock.method(console, 'log');
        const outcome = await migrate(database)();
        log.mock.restore();
        expect(outcome).to.have.nested.property('left.cause.code', 'PERMANENT');
        expect(outcome)
          .to.have.nested.property('left.cause.message')
          .that.includes('already exists, and belongs to another program; use a separate database');
        expect(log.mock.callCount(), 'standard output belongs to the log').to.equal(0);
        expect(await tablesThere(database)).to.deep.equal(['heartbeats']);
        expect(await database.writePool.schema.hasTable('animal_store_migrations')).to.equal(false);
        await database.writePool.schema.dropTable('heartbeats');
        expect(await success(migrate(database))).to.deep.equal(names);
      }));
  });
}

describe('Migrations on a SQLite file that another process has locked', () => {
  it('report what they wait for, and run when the lock is gone', () =>
    withEmptyDatabase(sqliteFile, async (database, open) => {
      const other = open();
      await other.writePool.raw('PRAGMA journal_mode = DELETE');
      await other.writePool.raw('BEGIN EXCLUSIVE');
      const reports: Array<string> = [];
      const migrated = migrate(database, { onProgress: (text) => void reports.push(text) })();
      await eventually('it reports that it waits', 60_000, () => reports.length > 0);
      await other.writePool.raw('ROLLBACK');
      expect(await migrated).to.have.property('_tag', 'Right');
      expect(reports).to.deep.equal(['waiting to migrate: another process migrates or locks the database']);
    }));
});

describe('A PostgreSQL database that cannot store every text', () => {
  for (const encoding of ['LATIN1', 'SQL_ASCII']) {
    it(`is rejected before anything is created in it: ${encoding}`, () =>
      withEmptyDatabase(postgresWith({}, `encoding '${encoding}' template template0`), async (database) => {
        const outcome = await migrate(database)();
        expect(outcome).to.have.nested.property('left.cause.code', 'PERMANENT');
        expect(outcome)
          .to.have.nested.property('left.cause.message')
          .that.includes(encoding)
          .and.includes("encoding 'UTF8'");
        expect(await tablesThere(database)).to.deep.equal([]);
      }));
  }
});

/** Migrations of a host with a table of visitors, in knex's default configuration. */
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

const hostTables = ['visitors', 'tickets'];

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A host with migrations of its own, on ${kind}`, () => {
    it('migrates before or after the store, and rolls back only its own migrations', () =>
      withEmptyDatabase(makeDatabase, async (database) => {
        const { writePool } = database;
        const expectHostTables = async (isThere: boolean): Promise<void> => {
          for (const table of hostTables)
            expect(await writePool.schema.hasTable(table), table).to.equal(isThere);
        };
        await writePool.migrate.latest(host);
        expect(await success(migrate(database))).to.deep.equal(names);
        for (let round = 0; round < 2; round += 1) {
          await expectHostTables(true);
          await writePool.migrate.rollback(host, true);
          await expectHostTables(false);
          expect(await knexReadiness(database)()).to.equal(undefined);
          expect(await success(migrate(database))).to.deep.equal([]);
          await writePool.migrate.latest(host);
        }
      }));
  });
}
