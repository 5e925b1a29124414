import { expect } from 'chai';
import { type Database, knexPetRepository } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { pageSize } from '../../../contracts/pet-repository/pages-of';
import { petId } from '../../../contracts/pet-repository/seeds';
import { databaseKinds } from '../../../support/databases';
import { run } from '../../../support/run';
import { withDatabase } from '../../../support/with-database';

const allowAnyStatus = {
  SQLite: 'PRAGMA ignore_check_constraints = ON',
  PostgreSQL: 'alter table pets drop constraint pets_status_check',
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`a row that another program wrote, and that is no animal, in ${kind}`, () => {
    /** Animals 1 and 3, and between them the row. */
    const use = (test: (database: Database) => Promise<void>) =>
      withDatabase(makeDatabase, async (database) => {
        const { create } = knexPetRepository(database);
        await run(create(arbitraryNewPet()));
        await database.writes.raw(allowAnyStatus[kind]);
        await database.writes('pets').insert({ name: 'Rex', category_id: 7, status: 'lost' });
        await run(create(arbitraryNewPet()));
        await test(database);
      });

    it('fails who asks for it, and no other whose request is read together with it', () =>
      use(async (database) => {
        const { find } = knexPetRepository(database);
        const outcomes = await Promise.all([1n, 2n, 3n, 4n].map((id) => find(petId(id))()));
        expect(
          outcomes.map((outcome) => (outcome._tag === 'Left' ? outcome.left._tag : outcome.right.id)),
        ).to.deep.equal([1n, 'Unavailable', 3n, 'PetNotFound']);
      }));

    it('fails the pages that it stands on, and no other', () =>
      use(async (database) => {
        const { list } = knexPetRepository(database);
        const limit = pageSize(20);
        const [whole, rest] = await Promise.all([list({ limit })(), list({ limit, after: petId(2n) })()]);
        expect([whole._tag, rest._tag]).to.deep.equal(['Left', 'Right']);
      }));
  });
}
