import { expect } from 'chai';
import { killPrograms, startCommand } from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { migrationNames } from '../../support/databases/migrations';
import { killServices, startServices } from '../../support/service/service-process';
import { fault } from '../support/fault';
import { startHangingMigrator } from '../support/databases/hanging-migrator';
import { inFolder } from '../../support/temporary-folder';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { columnIn, postgresStore, sqliteStore } from '../../support/databases/databases';

/** In milliseconds: how long a migrator that hangs may block others. */
const bound = 60_000;

describe('A migrator that hangs (SIGSTOP)', () => {
  afterEach(killServices);
  afterEach(killPrograms);

  fault('on PostgreSQL blocks nobody for more than a minute: who waits migrates, and serves', () =>
    inPostgresDatabase(async (url) => {
      const migrator = await startHangingMigrator(url);
      migrator.signal('SIGSTOP');
      const began = performance.now();
      await startServices(3, url);
      const milliseconds = Math.round(performance.now() - began);
      expect(milliseconds).to.be.lessThan(bound);
      expect(await columnIn(postgresStore(url), 'animal_store_migrations', 'name')).to.deep.equal(
        await migrationNames(),
      );
      return { 'all serve after ms': milliseconds };
    }),
  );

  fault('on SQLite has the others wait and say so, until it is killed', () =>
    inFolder(async (folder) => {
      const store = sqliteStore(`${folder}/animals.sqlite3`);
      const migrator = await startHangingMigrator(store.databaseUrl);
      migrator.signal('SIGSTOP');
      const waiting = startCommand(['migrate'], { DATABASE_URL: store.databaseUrl });
      await eventually('it says that it waits', bound, () => waiting.stderr().includes('waiting to migrate'));
      migrator.signal('SIGKILL');
      await migrator.ended;
      expect(await waiting.ended).to.include({ code: 0 });
      await startServices(3, store.databaseUrl);
      expect(await columnIn(store, 'animal_store_migrations', 'name')).to.deep.equal(await migrationNames());
      return { refused: 0 };
    }),
  );
});
