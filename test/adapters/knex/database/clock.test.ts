import { expect } from 'chai';
import { mock } from 'node:test';
import {
  apiKeyStore,
  databaseStatus,
  inspectClock,
  knexAuthenticate,
  knexPetRepository,
} from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';

const hour = 3_600_000;

/** Runs work as an instance whose clock is ahead of, or behind, the clock of the database. */
const withClock = async (aheadMs: number, work: () => Promise<void>): Promise<void> => {
  mock.timers.enable({ apis: ['Date'], now: Date.now() + aheadMs });
  try {
    await work();
  } finally {
    mock.reset();
  }
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`An instance with a wrong clock on ${kind}`, () => {
    it('neither purges nor replaces the idempotency keys of the others, if it is ahead', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create } = knexPetRepository(database);
        const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
        const { pet } = await success(create(newPet, { idempotency }));
        await withClock(25 * hour, async () => {
          const ahead = knexPetRepository(database);
          for (let count = 0; count < 3; count += 1) await success(ahead.create(arbitraryNewPet()));
          expect(await success(ahead.create(newPet, { idempotency }))).to.deep.equal({ pet, replayed: true });
        });
        expect(await success(create(newPet, { idempotency }))).to.deep.equal({ pet, replayed: true });
      }));

    it('accepts, lists and counts API keys until they expire by the clock of the database', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, rotate } = apiKeyStore(database);
        const [valid, expired] = [
          await success(create('valid', { lifetimeMs: hour })),
          await success(create('expired', { lifetimeMs: 0 })),
        ];
        for (const aheadMs of [25 * hour, -25 * hour])
          await withClock(aheadMs, async () => {
            await success(knexAuthenticate(database)(valid.key));
            const outcome = await knexAuthenticate(database)(expired.key)();
            expect(outcome).to.have.nested.property('left.reason', 'expired');
            expect((await success(list)).map(({ isValid }) => isValid)).to.deep.equal([true, false]);
            expect((await success(databaseStatus(database))).validKeys).to.equal(1);
          });
        await withClock(25 * hour, async () => {
          await success(rotate(valid.id, { graceMs: hour / 2 }));
        });
        expect((await success(list)).map(({ isValid }) => isValid)).to.deep.equal([true, false, true]);
      }));

    it('is told by how much its clock is wrong', () =>
      withDatabase(makeDatabase, async (database) => {
        expect(await success(inspectClock(database))).to.deep.equal([]);
        await withClock(25 * hour, async () => {
          expect(await success(inspectClock(database)))
            .to.have.nested.property('[0].text')
            .that.matches(/is 90000 s ahead of the database's/);
        });
        await withClock(-10_000, async () => {
          expect(await success(inspectClock(database)))
            .to.have.nested.property('[0].text')
            .that.matches(/is 10 s behind the database's/);
        });
      }));
  });
}
