import { expect } from 'chai';
import { killServices, startServices } from '../support/service/service-process';
import { columnIn, sqlStores } from '../support/databases/databases';
import { migrationNames } from '../support/databases/migrations';
import { listPets } from '../support/http/client';

describe('The first start', function () {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`happens once when eight processes make it at once on ${name}: one migrates, one prints a key, all serve`, () =>
      within(async (store) => {
        const services = await startServices(8, store.databaseUrl);
        const key = await Promise.any(services.map(({ firstKey }) => firstKey()));
        const answers = await Promise.all(services.map(({ address }) => listPets({ address, key })));
        expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 200));

        const ended = await Promise.all(services.map(({ stop }) => stop()));
        expect(ended.map(({ code }) => code)).to.deep.equal(Array.from({ length: 8 }, () => 0));
        expect(ended.filter(({ stderr }) => stderr.includes('shown only once'))).to.have.length(1);
        expect(await columnIn(store, 'api_keys', 'name')).to.deep.equal(['first key']);
        expect(await columnIn(store, 'animal_store_migrations', 'name')).to.deep.equal(
          await migrationNames(),
        );
      }));
  }
});
