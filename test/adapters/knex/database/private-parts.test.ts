import { expect } from 'chai';
import type { Knex } from 'knex';
import sqlite3 from 'sqlite3';
import { databaseKinds, sqliteFile, withDatabase } from '../../../support/databases/databases';

/** What of libraries this adapter uses that they don't promise: a release that changes it fails here. */

const usage = (used: number, idle: number, waiting: number) => ({ used, idle, waiting });

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the pools of ${kind}, which knex keeps to itself`, () => {
    it('count their connections, and the queries that wait for one', () =>
      withDatabase(makeDatabase, async ({ writes, poolUsage }) => {
        const last = () => {
          const pool = poolUsage().at(-1);
          return pool && usage(pool.used, pool.idle, pool.waiting);
        };
        const most = kind === 'SQLite' ? 1 : 10;
        const held = await Promise.all(Array.from({ length: most }, () => writes.transaction()));
        expect(last()).to.deep.equal(usage(most, 0, 0));
        const waiting = writes.raw('select 1').then();
        await new Promise(setImmediate);
        expect(last()).to.deep.equal(usage(most, 0, 1));
        await Promise.all(held.map((transaction: Knex.Transaction) => transaction.rollback()));
        await waiting;
        expect(last()).to.deep.equal(usage(0, most, 0));
      }));
  });
}

describe('the statements of SQLite, which knex gives to the driver', () => {
  const { prototype } = sqlite3.Database;
  const original = Object.getOwnPropertyDescriptor(prototype, 'prepare');
  const prepared: Array<string> = [];

  before(() => {
    const prepare: unknown = original?.value;
    if (original === undefined || typeof prepare !== 'function')
      throw new Error('the driver prepares nothing');
    Object.defineProperty(prototype, 'prepare', {
      ...original,
      value(sql: string, ...rest: ReadonlyArray<unknown>): unknown {
        prepared.push(sql);
        return Reflect.apply(prepare, this, [sql, ...rest]);
      },
    });
  });

  after(() => {
    if (original !== undefined) Object.defineProperty(prototype, 'prepare', original);
  });

  it('are prepared once a connection, however often they run', () =>
    withDatabase(sqliteFile, async ({ writes }) => {
      for (let runs = 0; runs < 3; runs += 1) {
        expect(await writes.raw('select ? as answer', [runs])).to.deep.equal([{ answer: runs }]);
      }
      expect(prepared.filter((sql) => sql === 'select ? as answer')).to.have.lengthOf(1);
    }));
});
