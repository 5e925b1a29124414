import { expect } from 'chai';
import knex from 'knex';
import { hostDatabase, knexPetRepository, migrate } from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';

describe('A transaction that does not begin', () => {
  afterEach(removeFolders);

  it('reports the error of its BEGIN', async () => {
    const filename = await newDatabaseFile();
    const pool = knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true });
    const database = hostDatabase(pool);
    await success(migrate(database));
    await pool.raw('BEGIN');
    const outcome = await knexPetRepository(database).create(arbitraryNewPet(), {
      idempotency: arbitraryScopedIdempotencyKey(),
    })();
    await pool.raw('ROLLBACK');
    await pool.destroy();
    expect(outcome)
      .to.have.nested.property('left.cause.message')
      .that.includes('cannot start a transaction within a transaction');
  });
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A transaction on ${kind}`, () => {
    it('stores nothing if its work ends after nobody waits for it', () =>
      withDatabase(makeDatabase, async ({ runTransaction, readPool }) => {
        const insert = (until: number) =>
          runTransaction(
            (transaction) => transaction('heartbeats').insert({ id: 7, beaten_at: 0 }),
            until,
          ).then(
            () => 'stored',
            () => 'rolled back',
          );
        expect(await insert(performance.now() - 1)).to.equal('rolled back');
        expect(await readPool('heartbeats').pluck('id')).to.deep.equal([]);
        expect(await insert(performance.now() + 60_000)).to.equal('stored');
      }));
  });

  describe(`An observer of batches on ${kind} that throws`, () => {
    it('fails no call', () =>
      withDatabase(makeDatabase, async (database) => {
        const batch = () => {
          throw new Error('a fault of the observer');
        };
        const { create, find } = knexPetRepository(database, { observer: { batch } });
        const { pet } = await success(create(arbitraryNewPet()));
        expect(await success(find(pet.id))).to.deep.equal(pet);
      }));
  });
}
