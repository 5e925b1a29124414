import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { apiKeyStore, knexAuthenticate, openSqlite } from '../../../../adapters/knex';
import { ApiKey, decodeOrThrow } from '../../../../core';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { maintainedRepository } from '../../../support/databases/maintained-repository';
import { arbitraryPetId } from '../../../contracts/arbitrary';
import { portFunctions } from '../../../contracts/pet-repository/port-functions';
import { success } from '../../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`a ${kind} database that is unreachable`, () => {
    it('authenticates only recently used keys, and none after 5 seconds', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create } = apiKeyStore(database);
        const [seen, unseen] = [await success(create('seen')), await success(create('unseen'))];
        const authenticate = knexAuthenticate(database);
        await success(authenticate(decodeOrThrow(ApiKey, seen.key)));
        await database.close();
        const gone = performance.now();

        const refusal = await authenticate(decodeOrThrow(ApiKey, unseen.key))();
        expect(refusal).to.have.nested.property('left._tag', 'Unavailable');
        while ((await authenticate(decodeOrThrow(ApiKey, seen.key))())._tag === 'Right') {
          expect(performance.now() - gone).to.be.below(5_000);
          await delay(50);
        }
      }));

    it('makes each operation Unavailable, without a word of SQL', () =>
      withDatabase(makeDatabase, async (database) => {
        const repository = maintainedRepository(database);
        await database.close();
        for (const [name, { call }] of Object.entries(portFunctions)) {
          const outcome = await call(repository, arbitraryPetId())();
          expect(outcome, name).to.have.nested.property(
            'left._tag',
            name === 'importAll' ? 'ImportAborted' : 'Unavailable',
          );
          expect(outcome, name)
            .to.have.nested.property('left.cause.message')
            .that.does.not.match(/select|insert/i);
        }
      }));
  });
}

/** These tests fail if a release of a library changes undocumented behaviour that the adapter uses. */

const usage = (used: number, idle: number, waiting: number) => ({ used, idle, waiting });

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the pools of ${kind}, which knex does not document`, () => {
    it('count their connections, and the queries that wait for one', () =>
      withDatabase(makeDatabase, async ({ writePool, poolUsage }) => {
        const last = () => {
          const pool = poolUsage().at(-1);
          return pool && usage(pool.used, pool.idle, pool.waiting);
        };
        const most = kind === 'SQLite' ? 1 : 10;
        const held = await Promise.all(Array.from({ length: most }, () => writePool.transaction()));
        expect(last()).to.deep.equal(usage(most, 0, 0));
        const waiting = writePool.raw('select 1').then();
        await new Promise(setImmediate);
        expect(last()).to.deep.equal(usage(most, 0, 1));
        await Promise.all(held.map((transaction: Knex.Transaction) => transaction.rollback()));
        await waiting;
        expect(last()).to.deep.equal(usage(0, most, 0));
      }));
  });
}

describe('the statements that a SQLite connection caches', () => {
  afterEach(removeFolders);

  it('hold no lock after one timed out waiting for it, so that the next write succeeds', async () => {
    const file = await newDatabaseFile();
    const [holder, waiter] = [openSqlite(file), openSqlite(file)];
    try {
      await holder.writePool.raw('create table notes (text)');
      await waiter.writePool.raw('pragma busy_timeout = 50');
      const transaction = await holder.writePool.transaction();
      await transaction('notes').insert({ text: 'of the holder' });
      const refused = await waiter.writePool.raw("insert into notes values ('in vain')").then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refused).to.include({ code: 'SQLITE_BUSY' });
      await transaction.commit();
      await waiter.writePool('notes').insert({ text: 'of the waiter' });
      expect(await holder.readPool('notes').pluck('text')).to.deep.equal(['of the holder', 'of the waiter']);
    } finally {
      await Promise.all([holder.close(), waiter.close()]);
    }
  });
});
