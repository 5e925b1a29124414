import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import { inTransaction } from '../../../../adapters/knex/database/transactions';
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

    it('is rolled back when its work throws, and throws the same', () =>
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
