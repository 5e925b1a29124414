import { expect } from 'chai';
import { fault } from '../support/fault';
import { startHangingMigrator } from '../support/databases/hanging-migrator';
import { killServices, startServices } from '../../support/service/service-process';
import { columnIn, sqlStores } from '../../support/databases/databases';
import { killPrograms } from '../../support/processes/command';
import { migrationNames } from '../../support/databases/migrations';

for (const { name, within } of sqlStores) {
  describe(`A migrator that is killed, on ${name}`, () => {
    afterEach(killServices);
    afterEach(killPrograms);

    fault('blocks nobody: three instances that start then migrate once, and serve', () =>
      within(async (store) => {
        const migrator = await startHangingMigrator(store.databaseUrl);
        migrator.signal('SIGKILL');
        await migrator.ended;
        const began = performance.now();
        await startServices(3, store.databaseUrl);
        const milliseconds = performance.now() - began;
        expect(await columnIn(store, 'animal_store_migrations', 'name')).to.deep.equal(
          await migrationNames(),
        );
        return { 'all serve after ms': Math.round(milliseconds) };
      }),
    ).timeout(120_000);
  });
}
