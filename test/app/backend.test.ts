import { expect } from 'chai';
import { environmentKeys } from '../../app/backend/backend';
import { ApiKey } from '../../core';
import { decoded } from '../contracts/outcome';
import { columnIn, postgresStore } from '../support/databases/databases';
import { migrationNames } from '../support/databases/migrations';
import { inPostgresDatabase, slowPets } from '../support/postgres/postgres';
import { eventually } from '../support/eventually';
import { call } from '../support/http/client';
import { run } from '../support/run';
import { startService, startServices } from '../support/service/service-process';

const key = 'settings-key';
const body = '{"name":"Rex","categoryId":7}';

const environmentOf = (url: string, settings: Readonly<Record<string, string>> = {}) => ({
  DATABASE_URL: url,
  API_KEYS: key,
  LOG_LEVEL: 'silent',
  ...settings,
});

const backendsOn = async (url: string, condition: Readonly<Record<string, string>>): Promise<number> => {
  const { reads, close } = postgresStore(url).open();
  try {
    const pids: ReadonlyArray<unknown> = await reads('pg_stat_activity')
      .whereRaw('datname = current_database() and pid <> pg_backend_pid()')
      .where(condition)
      .pluck('pid');
    return pids.length;
  } finally {
    await close();
  }
};

const makePetsSlow = async (url: string, seconds: number): Promise<void> => {
  const database = postgresStore(url).open();
  await slowPets(database, seconds);
  await database.close();
};

/** The connections that a service has to its database. */
const connectionsTo = (url: string): Promise<number> => backendsOn(url, { application_name: 'animal-store' });

/** The statements that `slowPets` keeps. */
const sleepingOn = (url: string): Promise<number> => backendsOn(url, { wait_event: 'PgSleep' });

describe('The settings of PostgreSQL', () => {
  it('bound the connections of an instance: POSTGRES_POOL_SIZE', () =>
    inPostgresDatabase(async (url) => {
      const { address } = await startService(environmentOf(url, { POSTGRES_POOL_SIZE: '2' }));
      expect((await call(`${address}/v1/pets`, { method: 'POST', key, body })).status).to.equal(201);
      await makePetsSlow(url, 0.3);
      const progress = { isOver: false };
      // Lists, reads by id and the check of readiness take a connection each where they get one.
      const targets = [1, 2, 3].flatMap((limit) => [`v1/pets?limit=${limit}`, 'v1/pets/1', 'readyz']);
      const load = Promise.all(targets.map((target) => call(`${address}/${target}`, { key }))).finally(
        () => (progress.isOver = true),
      );
      let most = 0;
      while (!progress.isOver) most = Math.max(most, await connectionsTo(url));
      expect((await load).map(({ status }) => status)).to.deep.equal(targets.map(() => 200));
      expect(most).to.equal(2);
    }));

  it('allow a first start with one connection', () =>
    inPostgresDatabase(async (url) => {
      await startServices(2, url, { POSTGRES_POOL_SIZE: '1' });
      expect(await columnIn(postgresStore(url), 'animal_store_migrations', 'name')).to.deep.equal(
        await migrationNames(),
      );
    }));

  for (const [milliseconds, status] of [
    [300, 503],
    [3_000, 200],
  ] as const) {
    it(`end a statement of 1 s with ${status} when POSTGRES_STATEMENT_TIMEOUT is ${milliseconds}`, () =>
      inPostgresDatabase(async (url) => {
        const { address } = await startService(
          environmentOf(url, { POSTGRES_STATEMENT_TIMEOUT: String(milliseconds) }),
        );
        await makePetsSlow(url, 1);
        const answer = await call(`${address}/v1/pets`, { key });
        expect(answer.status).to.equal(status);
        if (status === 503) expect(answer.milliseconds).to.be.lessThan(1_000);
        await eventually('no statement goes on', 20_000, async () => (await sleepingOn(url)) === 0);
      }));
  }
});

/** The SHA-256 of both begins with 71582553. */
const collidingKeys = ['client-key-43614', 'client-key-83476'].map((key) => decoded(ApiKey, key));

describe('The keys of API_KEYS', () => {
  it('are all valid and have ids of their own, also where their hashes share 32 bits', async () => {
    const { authenticate } = environmentKeys(collidingKeys);
    const ids = new Set<string>();
    for (const key of collidingKeys) ids.add((await run(authenticate(key))).keyId);
    expect(ids.size).to.equal(2);
  });
});
