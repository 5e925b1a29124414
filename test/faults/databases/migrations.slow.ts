import { expect } from 'chai';
import {
  columnIn,
  postgresStore,
  sqliteStore,
  type SqlStore,
  sqlStores,
} from '../../support/databases/databases';
import { migrationNames } from '../../support/databases/migrations';
import { eventually } from '../../support/eventually';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { killPrograms, runCommand, startCommand } from '../../support/processes/command';
import { killServices, startServices } from '../../support/service/service-process';
import { inFolder } from '../../support/temporary-folder';
import { otherBuild, startHangingMigrator } from '../support/builds';

const boundMs = 60_000;

const expectMigrated = async (store: SqlStore): Promise<void> => {
  expect(await columnIn(store, 'animal_store_migrations', 'name')).to.deep.equal(migrationNames());
};

const startThree = async (store: SqlStore): Promise<number> => {
  const began = performance.now();
  await startServices(3, store.databaseUrl);
  const milliseconds = Math.round(performance.now() - began);
  await expectMigrated(store);
  return milliseconds;
};

for (const { name, within } of sqlStores) {
  describe(`Migrations on ${name}`, () => {
    afterEach(killServices);
    afterEach(killPrograms);

    it('run once, by the next instances, after their migrator is killed', () =>
      within(async (store) => {
        const migrator = await startHangingMigrator(store.databaseUrl);
        migrator.signal('SIGKILL');
        await migrator.ended;
        await startThree(store);
      }));

    it(`block others ${name === 'SQLite' ? 'until' : 'for a minute, not until'} a hung migrator is killed`, () =>
      within(async (store) => {
        const migrator = await startHangingMigrator(store.databaseUrl);
        migrator.signal('SIGSTOP');
        if (name === 'SQLite') {
          const waiting = startCommand(['migrate'], { DATABASE_URL: store.databaseUrl });
          await eventually('it reports that it waits', boundMs, () =>
            waiting.stderr().includes('waiting to migrate'),
          );
          migrator.signal('SIGKILL');
          await migrator.ended;
          expect(await waiting.ended).to.include({ code: 0 });
        }
        const milliseconds = await startThree(store);
        expect(milliseconds, 'milliseconds until three instances are ready').to.be.lessThan(boundMs);
      }));
  });
}

const migrateForLong = async (store: SqlStore): Promise<void> => {
  expect((await runCommand(['migrate'], { DATABASE_URL: store.databaseUrl })).code).to.equal(0);
  const services = await startServices(3, store.databaseUrl, otherBuild('takesLong'));
  const messages = services.map(({ stderr }) => stderr());
  expect(messages.filter((text) => text.includes('migrating (900_takes_long)'))).to.have.lengthOf(1);
  expect(messages.filter((text) => text.includes('waiting to migrate'))).to.have.lengthOf(2);
  const names = await columnIn(store, 'animal_store_migrations', 'name');
  expect(names.at(-1)).to.equal('900_takes_long');
};

describe('Migrations that take 31 s', () => {
  afterEach(killServices);

  // Tests both databases at the same time, because the tests only wait. The end of `inPostgresDatabase` kills the
  // services of both.
  it('report their progress, and starting instances wait for them, on SQLite and PostgreSQL', () =>
    inFolder((folder) =>
      inPostgresDatabase(async (url) => {
        const stores = [sqliteStore(`${folder}/animals.sqlite3`), postgresStore(url)];
        await Promise.all(stores.map(migrateForLong));
      }),
    ));
});

describe('A migration of a locked table, on PostgreSQL', () => {
  afterEach(killServices);

  it('waits for short times again and again, so that no request waits long behind it, and gets it', () =>
    inPostgresDatabase(async (url) => {
      expect((await runCommand(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      const { writePool, close } = postgresStore(url).open();
      const reader = await writePool.transaction();
      await reader.raw('set local idle_in_transaction_session_timeout = 0');
      await reader('pets').first('id');
      const migrated = runCommand(['migrate'], { DATABASE_URL: url, ...otherBuild('adds') });
      // The reader queries for locks itself, because the server closes a silent connection.
      const waits = 'select 1 from pg_locks where not granted';
      const isWaiting = async (): Promise<boolean> => {
        const { rows } = await reader.raw<{ readonly rows: ReadonlyArray<unknown> }>(waits);
        return rows.length > 0;
      };
      for (const expected of [true, false, true]) {
        await eventually(
          `it ${expected ? 'waits' : 'has given up'}`,
          60_000,
          async () => (await isWaiting()) === expected,
        );
      }
      await reader.rollback();
      expect(await migrated).to.include({ code: 0, stdout: 'migrated: 900_add_colour\n' });
      await close();
    }));
});
