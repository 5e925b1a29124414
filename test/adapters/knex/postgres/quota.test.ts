import { expect } from 'chai';
import { mock } from 'node:test';
import { migrate, type PostgresDatabase, postgresQuota } from '../../../../adapters/knex';
import { arbitraryOwnerId, consumeQuotaContract } from '../../../contracts';
import {
  isDistributed,
  occupyPool,
  postgresDatabase,
  withDatabase,
  withDatabases,
} from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';

const limit = { requests: 2, seconds: 60 };

const quotaOn = (database: PostgresDatabase) => postgresQuota(database, limit);

describe('the quota in PostgreSQL', () => {
  consumeQuotaContract({ describe, it }, async (limit) => {
    const { open, remove } = await postgresDatabase();
    const database = open();
    await success(migrate(database));
    return {
      consumeQuota: postgresQuota(database, limit),
      close: async () => {
        await database.close();
        await remove();
      },
    };
  });

  it('counts the requests of each key for all instances together', () =>
    withDatabases(2, postgresDatabase, async (...databases) => {
      const [one, other] = databases.map((database) => quotaOn(database));
      if (one === undefined || other === undefined) throw new Error('two instances are needed');
      const owner = arbitraryOwnerId();
      const later = performance.now() + 30_000;
      expect(await success(one(owner, later))).to.include({ isWithin: true, remaining: 1 });
      expect(await success(other(owner, later))).to.include({ isWithin: true, remaining: 0 });
      expect(await success(one(owner, later))).to.include({ isWithin: false, remaining: 0 });
      expect(await success(one(arbitraryOwnerId(), later))).to.include({ isWithin: true });
    }));

  it('counts by the clock of the server, also for an instance whose clock is an hour fast', () =>
    withDatabases(2, postgresDatabase, async (...databases) => {
      const [one, fast] = databases.map((database) => quotaOn(database));
      if (one === undefined || fast === undefined) throw new Error('two instances are needed');
      const owner = arbitraryOwnerId();
      await success(one(owner));
      const time = Date.now();
      mock.method(Date, 'now', () => time + 3_600_000);
      try {
        const quota = await success(fast(owner));
        expect(quota).to.include({ isWithin: true, remaining: 0 });
        expect(quota.resetsInSeconds).to.be.within(1, limit.seconds);
      } finally {
        mock.reset();
      }
      expect(await success(one(owner))).to.include({ isWithin: false, remaining: 0 });
    }));

  it('sends no statement for an owner who has used it up', () =>
    withDatabase(postgresDatabase, async (database) => {
      const consume = quotaOn(database);
      const owner = arbitraryOwnerId();
      let statements = 0;
      database.writePool.on('query', () => (statements += 1));
      for (let request = 0; request < 10; request += 1) await success(consume(owner));
      expect(statements).to.equal(limit.requests + 1);
      expect(await success(consume(owner))).to.include({ isWithin: false, remaining: 0 });
    }));

  it('counts waiting requests of all owners by one statement, and each request once', () =>
    withDatabase(postgresDatabase, async (database) => {
      const consume = postgresQuota(database, { requests: 100, seconds: 60 });
      const [busy, other] = [arbitraryOwnerId(), arbitraryOwnerId()];
      await success(consume(busy));
      let statements = 0;
      database.writePool.on('query', () => (statements += 1));
      const calls = [...Array.from({ length: 50 }, () => busy), other, other].map((owner) => consume(owner));
      const quotas = await Promise.all(calls.map((call) => success(call)));
      expect(statements).to.equal(1);
      const left = quotas.map(({ remaining }) => remaining);
      expect(left).to.deep.equal([...Array.from({ length: 50 }, (_, place) => 98 - place), 99, 98]);
    }));

  it('leaves connections to others while a row of counts is locked', () =>
    withDatabases(2, postgresDatabase, async (database, holder) => {
      const consume = quotaOn(database);
      await success(consume(arbitraryOwnerId()));
      const lock = await holder.writePool.transaction();
      await lock.raw('lock table rate_limits in exclusive mode');
      const blocked = Promise.all(Array.from({ length: 50 }, () => consume(arbitraryOwnerId())()));
      try {
        await eventually('a count waits for the lock', 20_000, async () => {
          const { rows } = await holder.readPool.raw<{ readonly rows: ReadonlyArray<unknown> }>(
            'select pid from pg_locks where not granted',
          );
          return rows.length > 0;
        });
        expect(database.poolUsage()).to.have.nested.property('[0].used', 1);
      } finally {
        await lock.rollback();
      }
      for (const outcome of await blocked) expect(outcome).to.have.property('_tag', 'Right');
    }));

  it("counts the requests of other owners while one owner's row is locked", function () {
    // On Citus, `lock_timeout` of this statement does not apply on the node that has the row.
    if (isDistributed) this.skip();
    return withDatabases(2, postgresDatabase, async (database, holder) => {
      const consume = quotaOn(database);
      const [locked, other] = [arbitraryOwnerId(), arbitraryOwnerId()];
      await success(consume(locked));
      const lock = await holder.writePool.transaction();
      await lock('rate_limits').where({ key: locked }).forUpdate().select();
      try {
        const outcomes = await Promise.all([locked, other, locked, other].map((owner) => consume(owner)()));
        expect(outcomes.map(({ _tag }) => _tag)).to.deep.equal(['Left', 'Right', 'Left', 'Right']);
        expect(outcomes[3]).to.have.nested.property('right.remaining', 0);
      } finally {
        await lock.rollback();
      }
      expect(await success(consume(locked))).to.include({ isWithin: true, remaining: 0 });
    });
  });

  it('blocks an owner only until the window ends, also if another instance has begun it', () =>
    withDatabase(postgresDatabase, async (database) => {
      const consume = quotaOn(database);
      const owner = arbitraryOwnerId();
      await database.writePool.raw(
        `insert into rate_limits (key, points, expire)
          values (?, 2, cast(extract(epoch from clock_timestamp()) * 1000 as bigint) + 20000)`,
        [owner],
      );
      expect(await success(consume(owner))).to.include({ isWithin: false });
      const began = performance.now();
      mock.method(performance, 'now', () => began + 20_001);
      let statements = 0;
      database.writePool.on('query', () => (statements += 1));
      await success(consume(owner));
      mock.reset();
      expect(statements).to.equal(1);
    }));

  it('ends a window that would last longer than the limit, such as one of a longer limit before', () =>
    withDatabase(postgresDatabase, async (database) => {
      const owner = arbitraryOwnerId();
      const before = postgresQuota(database, { requests: 2, seconds: 3_600 });
      for (let request = 0; request < 2; request += 1) await success(before(owner));
      const consume = postgresQuota(database, { requests: 2, seconds: 1 });
      expect(await success(consume(owner))).to.include({ isWithin: false, resetsInSeconds: 1 });
      await eventually('the owner has its quota again', 20_000, async () => {
        const { isWithin } = await success(consume(owner));
        return isWithin;
      });
    }));

  it('is Unavailable after some seconds when the database hangs', () =>
    withDatabase(postgresDatabase, async (database) => {
      const consume = quotaOn(database);
      const release = await occupyPool(database.writePool, 10);
      const began = performance.now();
      try {
        const outcomes = await Promise.all([
          consume(arbitraryOwnerId())(),
          consume(arbitraryOwnerId(), began + 300)(),
        ]);
        for (const outcome of outcomes) expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
        expect(performance.now() - began).to.be.below(10_000);
      } finally {
        await release();
      }
    }));

  it('counts nothing when the deadline has passed', () =>
    withDatabase(postgresDatabase, async (database) => {
      const outcome = await quotaOn(database)(arbitraryOwnerId(), performance.now())();
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
      expect(await database.readPool('rate_limits').pluck('key')).to.deep.equal([]);
    }));
});
