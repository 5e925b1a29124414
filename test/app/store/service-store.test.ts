import { expect } from 'chai';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { configuredKeys } from '../../../app/store/service-store';
import { ApiKey, decodeOrThrow } from '../../../core';
import { arbitraryScopedIdempotencyKey } from '../../contracts';
import { success } from '../../contracts/outcome';
import { columnIn, postgresStore, sqlStores } from '../../support/databases/databases';
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
            .readPool('pg_stat_activity')
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

describe('The setting IDEMPOTENCY_HOURS', () => {
  for (const { name, within } of sqlStores) {
    it(`is the time for which ${name} keeps the key of a create`, () =>
      within(async ({ databaseUrl, open }) => {
        const environment = { DATABASE_URL: databaseUrl, API_KEYS: key, IDEMPOTENCY_HOURS: '1' };
        await whileServing(environment, async ({ address }) => {
          const headers = { 'Idempotency-Key': 'k' };
          const { status } = await call(`${address}/v1/pets`, { method: 'POST', key, body, headers });
          expect(status).to.equal(201);
        });
        const { readPool, close } = open();
        const [expiresAt] = await readPool('idempotency_keys').pluck<ReadonlyArray<unknown>>('expires_at');
        await close();
        expect(Number(expiresAt)).to.be.within(Date.now() + 3_000_000, Date.now() + 3_600_000);
      }));
  }

  it('is the time for which a store in memory replays a create', async () => {
    const clock = { time: 0 };
    const pets = inMemoryPetRepository({ now: () => clock.time, idempotencyTtlMs: 3_600_000 });
    const create = pets.create(
      { name: 'Rex', categoryId: 7n },
      { idempotency: arbitraryScopedIdempotencyKey() },
    );
    await success(create);
    clock.time = 3_599_999;
    expect((await success(create)).replayed).to.equal(true);
    clock.time += 1;
    expect((await success(create)).replayed).to.equal(false);
  });
});

/** Two keys whose SHA-256 hashes have the same first 32 bits, 71582553. */
const collidingKeys = ['client-key-43614', 'client-key-83476'].map((key) => decodeOrThrow(ApiKey, key));

describe('The keys of API_KEYS', () => {
  it('are all valid and have ids of their own, also where their hashes share 32 bits', async () => {
    const { authenticate } = configuredKeys(collidingKeys);
    const ids = new Set<string>();
    for (const key of collidingKeys) ids.add((await success(authenticate(key))).keyId);
    expect(ids.size).to.equal(2);
  });
});
