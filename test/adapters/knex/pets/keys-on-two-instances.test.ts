import { expect } from 'chai';
import { type Database, knexPetRepository } from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import { postgresDatabase, withDatabases, withStatements } from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';

/** Calls a function once, after a database has looked up the animals of stored keys. */
const afterItLooked = (database: Database, act: () => Promise<unknown>): Database => {
  const { byIds } = database.petStatements;
  let acted: Promise<unknown> | undefined;
  return withStatements(database, {
    byIds: async (knex, ids) => {
      const rows = await byIds(knex, ids);
      acted ??= act();
      await acted;
      return rows;
    },
  });
};

describe('an idempotency key on two instances of PostgreSQL', () => {
  it('makes one animal, though a batch with a retry looked for it before the other instance took it', () =>
    withDatabases(2, postgresDatabase, async (one, other) => {
      const instance = knexPetRepository(one);
      const [retried, contested] = [arbitraryScopedIdempotencyKey(), arbitraryScopedIdempotencyKey()];
      const [earlier, newPet] = [arbitraryNewPet(), arbitraryNewPet()];
      await success(instance.create(earlier, retried));

      const { create } = knexPetRepository(
        afterItLooked(other, () => success(instance.create(newPet, contested))),
      );
      // Creates in the same tick of the event loop share a batch.
      const results = await Promise.all([
        success(create(earlier, retried)),
        success(create(newPet, contested)),
      ]);

      expect(results.map(({ replayed }) => replayed)).to.deep.equal([true, true]);
      expect(await allPets(instance)).to.have.lengthOf(2);
    }));

  it('makes one animal in the place of one that is gone', () =>
    withDatabases(2, postgresDatabase, async (one, other) => {
      const instance = knexPetRepository(one);
      const key = arbitraryScopedIdempotencyKey();
      const newPet = arbitraryNewPet();
      await success(instance.create(newPet, key));
      await one.writes('pets').delete();

      const { create } = knexPetRepository(afterItLooked(other, () => success(instance.create(newPet, key))));

      expect(await success(create(newPet, key))).to.have.property('replayed', true);
      expect(await allPets(instance)).to.have.lengthOf(1);
    }));
});
