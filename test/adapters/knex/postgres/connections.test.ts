import { expect } from 'chai';
import { type OpenedDatabase, knexPetRepository, migrate, openPostgres } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { throughProxy } from '../../../support/postgres/freezing-proxy';
import { createPostgresDatabase } from '../../../support/postgres/postgres';
import { postgresWith, withEmptyDatabase } from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';

const statementTimeoutMs = 1_000;

/** Runs a test with a PostgreSQL database behind a proxy that can freeze, on one connection. */
const behindProxy = async (
  test: (database: OpenedDatabase, freezeAnswers: () => void) => Promise<void>,
): Promise<void> => {
  const { url, drop } = await createPostgresDatabase();
  try {
    await throughProxy(url, async (proxied, { freezeAnswers }) => {
      const database = openPostgres(proxied, { poolSize: 1, statementTimeoutMs });
      try {
        await success(migrate(database));
        await test(database, freezeAnswers);
      } finally {
        await database.close();
      }
    });
  } finally {
    await drop();
  }
};

describe('A query of PostgreSQL that is never answered', () => {
  it('takes its connection with it, so that the next query is answered', () =>
    behindProxy(async (database, freezeAnswers) => {
      const { create, find } = knexPetRepository(database);
      const { pet } = await success(create(arbitraryNewPet()));
      freezeAnswers();
      const began = performance.now();
      expect(await find(pet.id)()).to.have.nested.property('left._tag', 'Unavailable');
      expect(performance.now() - began).to.be.within(statementTimeoutMs, 10 * statementTimeoutMs);
      expect(await success(find(pet.id))).to.deep.equal(pet);
      expect(performance.now() - began).to.be.below(10 * statementTimeoutMs);
    }));

  it('is not taken for one because its connection is older than a query may be', () =>
    behindProxy(async ({ readPool }) => {
      const backend = (): Promise<unknown> => readPool.first(readPool.raw('pg_backend_pid() as pid'));
      const first = await backend();
      const until = performance.now() + 2 * statementTimeoutMs;
      while (performance.now() < until) {
        expect(await backend()).to.deep.equal(first);
        await readPool.raw('select pg_sleep(0.1)');
      }
    }));
});

/** Time that exceeds the maximum silence of a connection. */
const longSilence = 2 * statementTimeoutMs;

const withPool = (test: (database: OpenedDatabase) => Promise<void>): Promise<void> =>
  withEmptyDatabase(postgresWith({ poolSize: 4, statementTimeoutMs }), test);

const backends = ({ readPool }: OpenedDatabase, count: number): Promise<ReadonlyArray<unknown>> =>
  Promise.all(Array.from({ length: count }, () => readPool.select(readPool.raw('pg_backend_pid() as pid'))));

const inNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('An idle connection to PostgreSQL', () => {
  it('is not lent in the very turn in which it is dropped, after the process stood still', () =>
    withPool(async (database) => {
      await backends(database, 4);
      // A connection that is still being opened would time out while the process stands still.
      await eventually('all connections are idle', 20_000, () =>
        database.poolUsage().some(({ idle }) => idle === 4),
      );
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longSilence);
      await inNextTurn();
      // The timers that drop connections have fired, but the sockets have not yet emitted `close`.
      await inNextTurn();
      expect(await backends(database, 4)).to.have.lengthOf(4);
    }));

  it('leaves the pool before it is dropped, so that none is counted that is gone', () =>
    withPool(async (database) => {
      await backends(database, 4);
      await eventually('the pool is empty', 20_000, () =>
        database.poolUsage().every(({ used, idle }) => used + idle === 0),
      );
    }));
});
