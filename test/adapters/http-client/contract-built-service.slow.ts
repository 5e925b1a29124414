import type { Database } from '../../../adapters/knex';
import { ApiKey, decodeOrThrow } from '../../../core';
import { petRepositoryContract } from '../../contracts';
import { replacePets } from '../../support/databases/catalogue';
import { killServices, type ServiceProcess, startService } from '../../support/service/service-process';
import { databaseKinds } from '../../support/databases/databases';
import { remoteRepository } from './remote-repository';

/** API keys of the service, each with an owner of its own. No test has more owners. */
const apiKeys = Array.from({ length: 200 }, (_, index) => decodeOrThrow(ApiKey, `key-of-the-tests-${index}`));

/** Returns a function that gives each owner of a test an API key of its own. */
const keysOfOwners = (): ((owner?: string) => ApiKey) => {
  const keys = new Map<string, ApiKey>();
  return (owner = '') => {
    const key = keys.get(owner) ?? apiKeys[keys.size];
    if (key === undefined) throw new Error('a test has more than 200 owners');
    keys.set(owner, key);
    return key;
  };
};

for (const [name, makeDatabase] of databaseKinds) {
  describe(`A store over HTTP, served by the built service on ${name}`, () => {
    let service: ServiceProcess;
    let database: Database;
    let remove: () => Promise<void>;

    before(async () => {
      const made = await makeDatabase();
      remove = made.remove;
      service = await startService({ DATABASE_URL: made.databaseUrl, API_KEYS: apiKeys.join() });
      database = made.open();
    });

    after(async () => {
      await database.close();
      await service.stop();
      await remove();
    });
    after(killServices);

    petRepositoryContract({ describe, it }, async ({ pets }) => {
      await replacePets(database, pets);
      return {
        repository: remoteRepository({ baseUrl: service.address, keyOf: keysOfOwners(), pets }),
        close: () => Promise.resolve(),
      };
    });
  });
}
