import { expect } from 'chai';
import { knexPetRepository } from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`An animal that was corrected by SQL in ${kind}`, () => {
    it('is returned as it is now to a retry of its create, and rejects a create of the corrected animal', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create } = knexPetRepository(database);
        const [key, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
        const { pet } = await success(create(newPet, key));
        await database.writes('pets').where({ id: pet.id.toString() }).update({ name: 'corrected' });
        const corrected = { ...pet, name: 'corrected' };
        expect(await success(create(newPet, key))).to.deep.equal({ pet: corrected, replayed: true });
        expect(await create({ ...newPet, name: 'corrected' }, key)()).to.have.nested.property(
          'left._tag',
          'IdempotencyKeyReused',
        );
      }));

    it('is not added again by a retry of its create if it was deleted, unless its keys were too', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create } = knexPetRepository(database);
        const [key, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
        const { pet } = await success(create(newPet, key));
        await database.writes('pets').where({ id: pet.id.toString() }).delete();
        expect(await create(newPet, key)()).to.have.nested.property('left._tag', 'PetDeleted');
        await database.writes('idempotency_keys').where({ pet_id: pet.id.toString() }).delete();
        expect((await success(create(newPet, key))).replayed).to.equal(false);
      }));
  });
}
