import { expect } from 'chai';
import { inMemoryQuota, postgresQuota } from '../../../adapters/rate-limiter';
import { migrate } from '../../../adapters/knex';
import { arbitraryOwnerId, consumeQuotaContract } from '../../contracts';
import { postgresDatabase, withDatabase } from '../../support/databases/databases';
import { success } from '../../contracts/outcome';
import type { ConsumeQuota, OwnerId } from '../../../core';

describe('the quota in memory', () => {
  consumeQuotaContract({ describe, it }, (limit) =>
    Promise.resolve({ consumeQuota: inMemoryQuota(limit), close: () => Promise.resolve() }),
  );
});

describe('the quota in PostgreSQL', () => {
  consumeQuotaContract({ describe, it }, async (limit) => {
    const { open, remove } = await postgresDatabase();
    const database = open();
    await success(migrate(database));
    return {
      consumeQuota: postgresQuota(database.writes, limit),
      close: async () => {
        await database.close();
        await remove();
      },
    };
  });
});

const limit = { requests: 2, seconds: 60 };
const year = 365 * 24 * 60 * 60 * 1000;

/** Exceeds the quota of an owner, and then sets the clock back by a year. */
const useUp = async (consume: ConsumeQuota, owner: OwnerId): Promise<void> => {
  for (let requests = 0; requests < limit.requests + 2; requests += 1) await success(consume(owner));
  const past = Date.now() - year;
  Date.now = () => past;
};

describe('A quota after the clock was set back by a year', () => {
  const { now } = Date;
  afterEach(() => {
    Date.now = now;
  });

  const promisesNoMoreThanTheWindow = async (consume: ConsumeQuota): Promise<void> => {
    const owner = arbitraryOwnerId();
    await useUp(consume, owner);
    const { resetsInSeconds } = await success(consume(owner));
    expect(resetsInSeconds).to.be.within(0, limit.seconds);
  };

  it('is available again after its window in memory', () =>
    promisesNoMoreThanTheWindow(inMemoryQuota(limit)));

  it('is available again after its window in PostgreSQL', () =>
    withDatabase(postgresDatabase, ({ writes }) =>
      promisesNoMoreThanTheWindow(postgresQuota(writes, limit)),
    ));

  it('does not wait for the earlier time in PostgreSQL', () =>
    withDatabase(postgresDatabase, async ({ writes }) => {
      const owner = arbitraryOwnerId();
      await useUp(postgresQuota(writes, limit), owner);
      const consume = postgresQuota(writes, limit);
      await success(consume(owner));
      Date.now = (
        (past) => () =>
          past + 1000 * (limit.seconds + 1)
      )(Date.now());
      expect(await success(consume(owner))).to.include({ isWithin: true });
    }));
});
