import { expect } from 'chai';
import { type OpenedDatabase, knexPetMaintenance, knexPetRepository } from '../../../../adapters/knex';
import { newPetRules, petStatuses } from '../../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { alterTables } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';

const allowAnyStatus = {
  SQLite: ({ writePool }: OpenedDatabase) => writePool.raw('PRAGMA ignore_check_constraints = ON'),
  PostgreSQL: (database: OpenedDatabase) =>
    alterTables(database, 'alter table pets drop constraint pets_status_check'),
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`a row that another program wrote, and that is no animal, in ${kind}`, () => {
    /** Runs a test with two animals and a damaged row between them. The test gets the id of the first animal. */
    const use = async (test: (database: OpenedDatabase, first: bigint) => Promise<void>) => {
      for (const status of ['lost', ...(kind === 'SQLite' ? [Buffer.from([0xff, 0])] : [])]) {
        await withDatabase(makeDatabase, async (database) => {
          const { create } = knexPetRepository(database);
          const { pet } = await success(create(arbitraryNewPet()));
          await allowAnyStatus[kind](database);
          await database.writePool('pets').insert({ name: 'Rex', category_id: 7, status });
          await success(create(arbitraryNewPet()));
          await test(database, pet.id);
        });
      }
    };

    it('fails who asks for it, and no other whose request is read together with it', () =>
      use(async (database, first) => {
        const { find } = knexPetRepository(database);
        const outcomes = await Promise.all([0n, 1n, 2n, 3n].map((place) => find(first + place)()));
        expect(
          outcomes.map((outcome) => (outcome._tag === 'Left' ? outcome.left._tag : outcome.right.id - first)),
        ).to.deep.equal([0n, 'Unavailable', 2n, 'PetNotFound']);
      }));

    it('fails the pages that it stands on, and no other', () =>
      use(async (database, first) => {
        const { list } = knexPetRepository(database);
        const limit = 20;
        const [whole, rest] = await Promise.all([list({ limit })(), list({ limit, after: first + 1n })()]);
        expect([whole._tag, rest._tag]).to.deep.equal(['Left', 'Right']);
      }));

    it('fails the retry of the creation that made it, and none whose creation shares the transaction', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create } = knexPetRepository(database);
        const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
        const { pet } = await success(create(newPet, { idempotency }));
        await allowAnyStatus[kind](database);
        await database.writePool('pets').where({ id: pet.id.toString() }).update({ status: 'lost' });
        const [retry, ...others] = await Promise.all(
          [idempotency, ...Array.from({ length: 5 }, arbitraryScopedIdempotencyKey), undefined].map((each) =>
            create(newPet, { idempotency: each })(),
          ),
        );
        expect(retry).to.have.nested.property('left._tag', 'Unavailable');
        expect(others.map(({ _tag }) => _tag)).to.deep.equal(others.map(() => 'Right'));
      }));

    if (kind === 'SQLite')
      it('is named by its id if an integer column has a text or a fraction', () =>
        withDatabase(makeDatabase, async (database) => {
          await allowAnyStatus[kind](database);
          for (const [place, category_id] of ['seven', 1.5].entries()) {
            const id = place + 1;
            await database.writePool('pets').insert({ id, name: 'Rex', category_id });
            expect(await knexPetRepository(database).find(BigInt(id))())
              .to.have.nested.property('left.cause.message')
              .that.includes(`the row with id ${id} in table pets is invalid`);
          }
        }));

    if (kind === 'SQLite')
      it('can be corrected and deleted, although it breaks a rule of its table', () =>
        withDatabase(makeDatabase, async (database) => {
          await allowAnyStatus[kind](database);
          for (const id of [1, 2])
            await database.writePool('pets').insert({ id, name: 'x'.repeat(2_000), category_id: 7 });
          await database.writePool.raw('PRAGMA ignore_check_constraints = OFF');
          const { update, deleteByIds } = knexPetMaintenance(database);
          expect(await success(update(1n, { name: 'ok' }))).to.include({ name: 'ok' });
          expect(await success(deleteByIds([2n]))).to.equal(1);
          expect(await database.readPool('animal_store_changes').pluck('action')).to.have.members([
            'pets update',
            'pets delete',
          ]);
        }));

    if (kind === 'SQLite')
      it('fails only the creation whose idempotency key has no id of an animal, and names the remedy', () =>
        withDatabase(makeDatabase, async (database) => {
          const { create } = knexPetRepository(database);
          const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
          await success(create(newPet, { idempotency }));
          await database.writePool('idempotency_keys').update({ pet_id: 'none' });
          const [retry, ...others] = await Promise.all(
            [idempotency, arbitraryScopedIdempotencyKey(), undefined].map((each) =>
              create(newPet, { idempotency: each })(),
            ),
          );
          expect(retry)
            .to.have.nested.property('left.cause.message')
            .that.includes("run: delete from idempotency_keys where typeof(pet_id) <> 'integer'");
          expect(others.map(({ _tag }) => _tag)).to.deep.equal(['Right', 'Right']);
        }));
  });

  describe(`The table pets in ${kind}`, () => {
    it('takes the names and statuses that the core accepts, and no others, also from another program', () =>
      withDatabase(makeDatabase, async ({ writePool }) => {
        const { maxLength } = newPetRules.name;
        const insert = (row: object) => writePool('pets').insert({ name: 'Rex', category_id: 7, ...row });
        for (const status of [...petStatuses, null]) await insert({ name: '🐕'.repeat(maxLength), status });
        for (const row of [
          { name: '🐕'.repeat(maxLength + 1) },
          { name: 'x'.repeat(maxLength + 1) },
          ...['', 'lost', 'Sold'].map((status) => ({ status })),
        ]) {
          const refused: unknown = await insert(row).catch((error: unknown) => error);
          expect(String(refused)).to.match(/check/i);
        }
        expect(await writePool('pets').pluck('status')).to.have.members([...petStatuses, null]);
      }));
  });
}
