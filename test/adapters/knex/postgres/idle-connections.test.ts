import { expect } from 'chai';
import { type Database, openPostgres } from '../../../../adapters/knex';
import { createPostgresDatabase } from '../../../support/postgres/postgres';
import { eventually } from '../../../support/eventually';

const statementTimeoutMs = 1_000;

/** In milliseconds, more than a connection may be silent for. */
const longSilence = 2 * statementTimeoutMs;

const withPool = async (test: (database: Database) => Promise<void>): Promise<void> => {
  const { url, drop } = await createPostgresDatabase();
  const database = openPostgres(url, { poolSize: 4, statementTimeoutMs });
  try {
    await test(database);
  } finally {
    await database.close();
    await drop();
  }
};

const backends = ({ reads }: Database, count: number): Promise<ReadonlyArray<unknown>> =>
  Promise.all(Array.from({ length: count }, () => reads.select(reads.raw('pg_backend_pid() as pid'))));

const inNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('An idle connection to PostgreSQL', () => {
  it('is not lent in the very turn in which it is dropped, after the process stood still', () =>
    withPool(async (database) => {
      await backends(database, 4);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, longSilence);
      await inNextTurn();
      // The timers that drop connections have run by now, and no socket has said yet that it is closed.
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
