import { expect } from 'chai';
import { environmentKeys } from '../../../app/store/service-store';
import { ApiKey, decodeOrThrow } from '../../../core';
import { success } from '../../contracts/outcome';
import { columnIn, postgresStore } from '../../support/databases/databases';
import { migrationNames } from '../../support/databases/migrations';
import { inPostgresDatabase, slowPets } from '../../support/postgres/postgres';
import { call } from '../../support/http/client';
import { whileServing } from '../../support/service/serve-in-process';

const key = 'settings-key';
const body = '{"name":"Rex","categoryId":7}';

describe('The settings of PostgreSQL', () => {
  it('bound the connections of an instance: POSTGRES_POOL_SIZE', () =>
    inPostgresDatabase((url) =>
      whileServing({ DATABASE_URL: url, API_KEYS: key, POSTGRES_POOL_SIZE: '2' }, async ({ address }) => {
        expect((await call(`${address}/v1/pets`, { method: 'POST', key, body })).status).to.equal(201);
        const other = postgresStore(url).open();
        await slowPets(other, 0.3);
        const progress = { isOver: false };
        // Each list, read by id and readiness check takes a connection while one is free.
        const targets = [1, 2, 3].flatMap((limit) => [`v1/pets?limit=${limit}`, 'v1/pets/1', 'readyz']);
        const load = Promise.all(targets.map((target) => call(`${address}/${target}`, { key }))).finally(
          () => (progress.isOver = true),
        );
        let most = 0;
        while (!progress.isOver) {
          const pids = await other
            .reads('pg_stat_activity')
            .whereRaw('datname = current_database() and pid <> pg_backend_pid()')
            .where({ application_name: 'animal-store' })
            .pluck<ReadonlyArray<number>>('pid');
          most = Math.max(most, pids.length);
        }
        await other.close();
        expect((await load).map(({ status }) => status)).to.deep.equal(targets.map(() => 200));
        expect(most).to.equal(2);
      }),
    ));

  it('allow a first start of two instances with one connection each', () =>
    inPostgresDatabase(async (url) => {
      const migrated = () =>
        whileServing({ DATABASE_URL: url, API_KEYS: key, POSTGRES_POOL_SIZE: '1' }, () =>
          columnIn(postgresStore(url), 'animal_store_migrations', 'name'),
        );
      const names = migrationNames();
      expect(await Promise.all([migrated(), migrated()])).to.deep.equal([names, names]);
    }));
});

/** The SHA-256 hashes of both keys begin with 71582553. */
const collidingKeys = ['client-key-43614', 'client-key-83476'].map((key) => decodeOrThrow(ApiKey, key));

describe('The keys of API_KEYS', () => {
  it('are all valid and have ids of their own, also where their hashes share 32 bits', async () => {
    const { authenticate } = environmentKeys(collidingKeys);
    const ids = new Set<string>();
    for (const key of collidingKeys) ids.add((await success(authenticate(key))).keyId);
    expect(ids.size).to.equal(2);
  });
});
