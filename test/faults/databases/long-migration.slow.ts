import { expect } from 'chai';
import { runCommand } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { killServices, startServices } from '../../support/service/service-process';
import { fault } from '../support/fault';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { otherBuild } from '../support/databases/other-build';
import { columnIn, postgresStore, sqlStores } from '../../support/databases/databases';

const name = '900_takes_long';

for (const { name: kind, within } of sqlStores) {
  describe(`A migration of 31 s, on ${kind}`, () => {
    afterEach(killServices);

    fault('ends, says how far it is, and the instances that start beside it wait for it and serve', () =>
      within(async (store) => {
        expect((await runCommand(['migrate'], { DATABASE_URL: store.databaseUrl })).code).to.equal(0);
        const began = performance.now();
        const services = await startServices(3, store.databaseUrl, otherBuild('takesLong'));
        const milliseconds = Math.round(performance.now() - began);
        const said = services.map(({ stderr }) => stderr());
        expect(said.filter((text) => text.includes(`migrating (${name}): `))).to.have.lengthOf(1);
        expect(said.filter((text) => text.includes('waiting to migrate'))).to.have.lengthOf(2);
        expect((await columnIn(store, 'animal_store_migrations', 'name')).at(-1)).to.equal(name);
        return { 'all serve after ms': milliseconds };
      }),
    ).timeout(180_000);
  });
}

describe('A migration that finds a table locked, on PostgreSQL', () => {
  afterEach(killServices);

  fault('waits for it again and again, so that nobody waits long behind it, and gets it', () =>
    inPostgresDatabase(async (url) => {
      expect((await runCommand(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      const { open } = postgresStore(url);
      const { writes, close } = open();
      const reader = await writes.transaction();
      await reader.raw('set local idle_in_transaction_session_timeout = 0');
      await reader('pets').first('id');
      const migrated = runCommand(['migrate'], { DATABASE_URL: url, ...otherBuild('adds') });
      // Asked by the reader itself, whose connection is dropped when it is silent.
      const refused = 'select 1 from pg_locks where not granted';
      const isWaiting = async (): Promise<boolean> => {
        const { rows } = await reader.raw<{ readonly rows: ReadonlyArray<unknown> }>(refused);
        return rows.length > 0;
      };
      // Twice: what has been given up is tried again.
      for (const waits of [true, false, true]) {
        await eventually(
          `it ${waits ? 'waits' : 'has given up'}`,
          60_000,
          async () => (await isWaiting()) === waits,
        );
      }
      await reader.rollback();
      expect(await migrated).to.include({ code: 0, stdout: '900_add_colour\n' });
      await close();
      return { lost: 0 };
    }),
  ).timeout(180_000);
});
