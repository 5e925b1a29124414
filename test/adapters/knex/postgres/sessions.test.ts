import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { mock } from 'node:test';
import {
  apiKeyStore,
  type OpenedDatabase,
  hostDatabase,
  knexAuthenticate,
  knexPetRepository,
  knexReadiness,
  migrate,
} from '../../../../adapters/knex';
import { ApiKey, decodeOrThrow, type PetRepository } from '../../../../core';
import { arbitraryNewPet } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import {
  postgresDatabase,
  postgresWith,
  withDatabase,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { execute } from '../../../support/postgres/postgres';

const limit = 20;

/** Runs a statement on `count` sessions of the pool, which are all in use at the same time. */
const onSessions = async ({ writePool }: OpenedDatabase, count: number, sql: string) => {
  const transactions = await Promise.all(Array.from({ length: count }, () => writePool.transaction()));
  const pids: Array<number> = [];
  for (const transaction of transactions) {
    await transaction.raw(sql);
    const { pid } = await transaction.first<{ readonly pid: number }>(
      transaction.raw('pg_backend_pid() as pid'),
    );
    pids.push(pid);
    await transaction.commit();
  }
  return pids;
};

/** Makes open sessions of the pool read-only, as sessions with a former primary may be after a failover. */
const makeReadOnly = (database: OpenedDatabase, count = 1): Promise<ReadonlyArray<number>> =>
  onSessions(database, count, 'set default_transaction_read_only = on');

const backends = (database: OpenedDatabase, count: number): Promise<ReadonlyArray<number>> =>
  onSessions(database, count, 'select 1');

const everyRead: Readonly<Record<string, (repository: PetRepository) => Promise<unknown>>> = {
  'a get': ({ find }) => find(1n)(),
  'a list': ({ list }) => list({ limit })(),
  'a list by status': ({ list }) => list({ limit, status: 'sold' })(),
};

const onOneSession = postgresWith({ poolSize: 1 });

describe('A session with a PostgreSQL server that has become read-only', () => {
  for (const [name, read] of Object.entries(everyRead)) {
    it(`does not answer ${name}, whose rows may be stale, and is replaced by a new session`, () =>
      withDatabase(onOneSession, async (database) => {
        const repository = knexPetRepository(database);
        await success(repository.create(arbitraryNewPet()));
        await makeReadOnly(database);
        const outcome = await read(repository);
        expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
        expect(outcome).to.have.nested.property('left.cause.message', 'the server is read-only');
        expect(await read(repository)).to.have.property('_tag', 'Right');
      }));
  }

  it('does not answer whether an API key is valid, and is replaced by a new session', () =>
    withDatabase(onOneSession, async (database) => {
      const { key } = await success(apiKeyStore(database).create('key'));
      const authenticate = knexAuthenticate(database);
      await makeReadOnly(database);
      const outcome = await authenticate(decodeOrThrow(ApiKey, key))();
      expect(outcome).to.have.nested.property('left.cause.code', '25006');
      await success(authenticate(decodeOrThrow(ApiKey, key)));
    }));

  it('fails a create, and makes the pool replace all of its sessions', () =>
    withDatabase(postgresWith({ poolSize: 4 }), async (database) => {
      const { create } = knexPetRepository(database);
      const before = await makeReadOnly(database, 4);
      const outcome = await create(arbitraryNewPet())();
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
      await success(create(arbitraryNewPet()));
      const now = await backends(database, 4);
      expect(now.filter((pid) => before.includes(pid))).to.deep.equal([]);
    }));

  it('makes the database not ready, and the next check ready', () =>
    withDatabase(onOneSession, async (database) => {
      await makeReadOnly(database);
      const check = knexReadiness(database);
      expect(await check()).to.equal('the database server is read-only');
      await eventually('the database is ready', 20_000, async () => (await check()) === undefined);
    }));
});

const setReadOnly = (url: string, value: 'on' | 'off'): Promise<void> =>
  execute(
    url,
    'set default_transaction_read_only = off',
    `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
  );

describe('A new session with a PostgreSQL server that is read-only', () => {
  it('is refused and closed, and accepted without a restart once the server accepts writes', () =>
    withEmptyDatabase(postgresDatabase, async (database, open, url) => {
      await success(migrate(database));
      const { pet } = await success(knexPetRepository(database).create(arbitraryNewPet()));
      await setReadOnly(url, 'on');
      const other = open();
      const check = knexReadiness(other);
      const { find, create } = knexPetRepository(other);
      for (const call of [find(pet.id), create(arbitraryNewPet())])
        expect(await call()).to.have.nested.property('left.cause.message', 'the server is read-only');
      expect(await check()).to.equal('the database server is read-only');
      await setReadOnly(url, 'off');
      expect(await success(find(pet.id))).to.deep.equal(pet);
      await eventually('the database is ready', 20_000, async () => (await check()) === undefined);
      await eventually('only sessions of the pools are open', 20_000, async () => {
        const sessions: ReadonlyArray<unknown> = await other
          .readPool('pg_stat_activity')
          .where({ application_name: 'animal-store' })
          .whereRaw('datname = current_database()')
          .select('pid');
        const pooled = [database, other].flatMap(({ poolUsage }) => poolUsage());
        return sessions.length === pooled.reduce((sum, { used, idle }) => sum + used + idle, 0);
      });
    }));

  it('is read from by a host, who may read from a standby', () =>
    withEmptyDatabase(postgresDatabase, async (database, _open, url) => {
      await success(migrate(database));
      const { pet } = await success(knexPetRepository(database).create(arbitraryNewPet()));
      await setReadOnly(url, 'on');
      const host = knex({ client: 'pg', connection: url });
      try {
        expect(await success(knexPetRepository(hostDatabase(host)).find(pet.id))).to.deep.equal(pet);
      } finally {
        await host.destroy();
      }
    }));
});

const minute = 60_000;

describe('The sessions with a PostgreSQL server that works', () => {
  afterEach(() => {
    mock.reset();
  });

  it('end after at most five minutes, one after the other', () =>
    withEmptyDatabase(postgresWith({ poolSize: 20 }), async (database) => {
      const first = await backends(database, 20);
      const began = performance.now();
      const keptAfter = async (milliseconds: number): Promise<number> => {
        mock.method(performance, 'now', () => began + milliseconds);
        const now = await backends(database, 20);
        mock.reset();
        return now.filter((pid) => first.includes(pid)).length;
      };
      expect(await keptAfter(3.9 * minute)).to.equal(20);
      expect(await keptAfter(4.5 * minute)).to.be.within(1, 19);
      expect(await keptAfter(5.1 * minute)).to.equal(0);
    }));
});

describe('A session of a database that limits the time of transactions', () => {
  it('does not end long work: neither an import nor a migration has this limit', function () {
    return withEmptyDatabase(postgresDatabase, async (database, open, url) => {
      const limitIn = async (pool: Knex): Promise<string | null> => {
        const { limit } = await pool.first<{ readonly limit: string | null }>(
          pool.raw(`current_setting('transaction_timeout', true) as limit`),
        );
        return limit;
      };
      // PostgreSQL has this setting from version 17 on.
      if ((await limitIn(database.readPool)) === null) this.skip();
      await execute(
        url,
        `alter database ${new URL(url).pathname.slice(1)} set transaction_timeout = '10min'`,
      );
      const limited = open();
      expect(await limitIn(limited.readPool)).to.equal('0');
      expect(await limited.withStoreLock(limitIn)).to.equal('0');
    });
  });
});
