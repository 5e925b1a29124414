import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createBatcher } from '../../../adapters/knex/batcher';
import { databaseTimeouts } from '../../../adapters/knex/database/timeouts';
import { withTimeout } from '../../../adapters/knex/database/transactions';
import { backgroundPurge } from '../../../adapters/knex/pets/idempotency-keys';
import { connectionWith } from '../../../adapters/knex/postgres/connection-string';
import type { Unavailable } from '../../../core';
import { arbitraryNewPet } from '../../contracts';
import { success } from '../../contracts/outcome';
import { databaseKinds, sqliteFile, withDatabase, withStatements } from '../../support/databases/databases';
import { maintainedRepository } from '../../support/databases/maintained-repository';
import { fakeTimeouts } from '../../support/fake-timers';

const errorWith = (code: string): Error => Object.assign(new Error(code), { code });

const isCheck = (value: unknown): value is () => boolean => typeof value === 'function';

describe('At a given time,', () => {
  let now = 0;

  beforeEach(() => {
    now = 10_000;
    mock.method(performance, 'now', () => now);
  });
  afterEach(() => {
    mock.reset();
  });

  for (const [waitedMs, outcome] of [
    [740, 'Right'],
    [760, 'Left'],
  ] as const) {
    it(`a call that has waited ${waitedMs} of its 1,000 ms ${outcome === 'Right' ? 'begins' : 'fails'}`, async () => {
      let endFirst = (): void => undefined;
      const load = createBatcher<string, never, string>({
        maxBatches: 1,
        runBatch: (inputs) =>
          new Promise((resolve) => {
            const end = () => {
              resolve(inputs.map((input) => E.right(input)));
            };
            if (inputs[0] === 'first') endFirst = end;
            else end();
          }),
      });
      const first = load('first')();
      await nextTurn();
      const second = load('second', now + 1_000)();
      now += waitedMs;
      endFirst();
      await first;
      expect(await second).to.have.property('_tag', outcome);
    });
  }

  it('calls of a rejected batch are retried alone, but none begins after the time for retries', async () => {
    const alone: Array<string> = [];
    const load = createBatcher<string, Unavailable, string>({
      maxBatches: 1,
      separatesRejected: true,
      runBatch: (inputs) => {
        const [input = ''] = inputs;
        if (inputs.length > 1) return Promise.reject(errorWith('23514'));
        alone.push(input);
        if (alone.length === 1) return Promise.reject(errorWith('40001'));
        now += databaseTimeouts.separateCallsMs / 4;
        return Promise.resolve([E.right(input)]);
      },
    });
    const inputs = Array.from({ length: 12 }, (_, place) => String(place));
    const results = await Promise.all(inputs.map((input) => load(input)()));
    expect(alone.filter((input) => input === '0')).to.have.lengthOf(2);
    expect(results[0]).to.deep.equal(E.right('0'));
    expect(results.at(-1))
      .to.have.nested.property('left.cause.message')
      .that.matches(/^nothing was stored/);
  });

  it('a slow purge of few expired keys is also followed by a pause of nine times its duration', () =>
    withDatabase(sqliteFile, async (database) => {
      let purges = 0;
      const purgeExpired = () => {
        purges += 1;
        now += 1_000;
        return Promise.resolve(0);
      };
      const purge = backgroundPurge(withStatements(database, { purgeExpired }));
      for (const [passedMs, expected] of [
        [0, 1],
        [8_990, 1],
        [20, 2],
      ] as const) {
        now += passedMs;
        purge();
        await nextTurn();
        expect(purges, `after ${passedMs} ms`).to.equal(expected);
      }
    }));

  it('expired keys are purged after nine times the duration of a full purge, otherwise after a second', () =>
    withDatabase(sqliteFile, async (database) => {
      let purges = 0;
      const purgeExpired = () => {
        purges += 1;
        now += 10;
        return Promise.resolve(purges === 1 ? 200 : 5);
      };
      const purge = backgroundPurge(withStatements(database, { purgeExpired }));
      for (const [passedMs, expected] of [
        [0, 1],
        [89, 1],
        [2, 2],
        [990, 2],
        [20, 3],
      ] as const) {
        now += passedMs;
        purge();
        await nextTurn();
        expect(purges, `after ${passedMs} ms`).to.equal(expected);
      }
    }));

  it('a password is read again after a second, and not before', async () => {
    let url = 'postgres://first';
    const connection = connectionWith(
      () => url,
      {},
      () => undefined,
    );
    if (typeof connection !== 'function') throw new Error('it has to be a function');
    const { expirationChecker: isExpired }: Record<string, unknown> = { ...(await connection()) };
    if (!isCheck(isExpired)) throw new Error('the settings have to expire');
    url = 'postgres://second';
    now += 999;
    expect(isExpired()).to.equal(false);
    now += 1;
    expect(isExpired()).to.equal(true);
  });

  it('work without a limit sets no timer, and work that ends clears its timer', async () => {
    fakeTimeouts();
    const cleared = mock.method(globalThis, 'clearTimeout');
    expect(await withTimeout(() => nextTurn('ended'), Infinity)).to.equal('ended');
    expect(cleared.mock.callCount()).to.equal(0);
    expect(await withTimeout(() => Promise.resolve('ended'), 1_000)).to.equal('ended');
    await nextTurn();
    expect(cleared.mock.callCount()).to.equal(1);
  });
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A correction on ${kind}`, () => {
    it('is repeated after a conflict', () =>
      withDatabase(makeDatabase, async (database) => {
        let attempts = 0;
        const runTransaction: typeof database.runTransaction = (work, until) => {
          attempts += 1;
          return attempts === 1 ? Promise.reject(errorWith('40001')) : database.runTransaction(work, until);
        };
        const { create, update } = maintainedRepository({ ...database, runTransaction });
        const { pet } = await success(create(arbitraryNewPet()));
        expect(await success(update(pet.id, { name: 'Rex' }))).to.include({ name: 'Rex' });
        expect(attempts).to.equal(2);
      }));

    it('deletes an animal once, although two delete it at the same time', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, deleteByIds } = maintainedRepository(database);
        const { pet } = await success(create(arbitraryNewPet()));
        const counts = await Promise.all([1, 2].map(() => success(deleteByIds([pet.id]))));
        expect(counts.toSorted()).to.deep.equal([0, 1]);
      }));
  });
}
