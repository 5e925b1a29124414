import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import { inTransaction, retryConflicts } from '../../../../adapters/knex/database/connections';
import { databaseKinds, postgresDatabase, withDatabase } from '../../../support/databases/databases';

const row = { name: 'Rex', category_id: 1 };

const messageOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Error ? error.message : error),
  );

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A transaction in ${kind}`, () => {
    it('is committed when its work ends, and returns the result', () =>
      withDatabase(makeDatabase, async ({ writes, reads }) => {
        expect(
          await inTransaction(writes, async (transaction) => {
            await transaction('pets').insert(row);
            return 'result';
          }),
        ).to.equal('result');
        expect(await reads('pets').pluck('name')).to.deep.equal(['Rex']);
      }));

    it('is rolled back when its work throws, and throws the same error', () =>
      withDatabase(makeDatabase, async ({ writes, reads }) => {
        const work = inTransaction(writes, async (transaction) => {
          await transaction('pets').insert(row);
          throw new Error('not now');
        });
        expect(await messageOf(work)).to.equal('not now');
        expect(await reads('pets').pluck('name')).to.deep.equal([]);
      }));
  });
}

describe('A transaction in PostgreSQL', () => {
  it('fails when its COMMIT is answered with ROLLBACK', () =>
    withDatabase(postgresDatabase, async ({ writes, reads }) => {
      const work = inTransaction(writes, async (transaction) => {
        await transaction('pets').insert(row);
        await transaction.raw('select 1 / 0').catch(constVoid);
      });
      expect(await messageOf(work)).to.match(/rolled back the transaction/);
      expect(await reads('pets').pluck('name')).to.deep.equal([]);
    }));
});

const refusal = (code: string): Error => Object.assign(new Error(code), { code });

/** Makes a transaction that fails a number of times before it succeeds. */
const refusedTimes = (times: number, code: string) => {
  let runs = 0;
  return {
    runs: () => runs,
    transaction: () => {
      runs += 1;
      return runs > times ? Promise.resolve('done') : Promise.reject(refusal(code));
    },
  };
};

const outcomeOf = (call: Promise<string>): Promise<string> =>
  call.catch((error: unknown) => (error instanceof Error ? error.message : 'no error'));

describe('retryConflicts', () => {
  for (const code of ['40001', '40P01', '23505']) {
    it(`retries a transaction that conflicted with another (${code})`, async () => {
      const { transaction, runs } = refusedTimes(5, code);
      expect(await retryConflicts(transaction)).to.equal('done');
      expect(runs()).to.equal(6);
    });
  }

  it('gives up after six attempts', async () => {
    const { transaction, runs } = refusedTimes(100, '40001');
    expect(await outcomeOf(retryConflicts(transaction))).to.equal('40001');
    expect(runs()).to.equal(6);
  });

  for (const code of ['23514', '53300', '57014', 'SQLITE_BUSY', 'SQLITE_FULL']) {
    it(`does not retry a permanent failure or one with an unknown outcome (${code})`, async () => {
      const { transaction, runs } = refusedTimes(1, code);
      expect(await outcomeOf(retryConflicts(transaction))).to.equal(code);
      expect(runs()).to.equal(1);
    });
  }
});
