import { expect } from 'chai';
import { call } from '../../support/http/client';
import { startService, startServices } from '../../support/service/service-process';
import { columnIn, postgresStore } from '../../support/databases/databases';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { eventually } from '../../support/eventually';
import { migrationNames } from '../../support/databases/migrations';
import { slowPets } from '../../support/databases/slow-pets';

const key = 'settings-key';
const body = '{"name":"Rex","categoryId":7}';

const environmentOf = (url: string, settings: Readonly<Record<string, string>>) => ({
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

/** The connections that a service has to its database. */
const connectionsTo = (url: string): Promise<number> => backendsOn(url, { application_name: 'animal-store' });

/** The statements that `slowPets` keeps. */
const sleepingOn = (url: string): Promise<number> => backendsOn(url, { wait_event: 'PgSleep' });

describe('The settings of PostgreSQL', () => {
  it('bound the connections of an instance: POSTGRES_POOL_SIZE', () =>
    inPostgresDatabase(async (url) => {
      const { address } = await startService(environmentOf(url, { POSTGRES_POOL_SIZE: '2' }));
      expect((await call(`${address}/v1/pets`, { method: 'POST', key, body })).status).to.equal(201);
      const database = postgresStore(url).open();
      await slowPets(database, 0.3);
      await database.close();
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

  it('leave room for a first start with one connection', () =>
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
        const database = postgresStore(url).open();
        await slowPets(database, 1);
        await database.close();
        const answer = await call(`${address}/v1/pets`, { key });
        expect(answer.status).to.equal(status);
        if (status === 503) expect(answer.milliseconds).to.be.lessThan(1_000);
        await eventually('no statement goes on', 20_000, async () => (await sleepingOn(url)) === 0);
      }));
  }
});
