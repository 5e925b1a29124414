import { expect } from 'chai';
import { type StoreDatabase, knexPetRepository } from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import {
  isDistributed,
  postgresDatabase,
  sqliteFile,
  withDatabase,
  withDatabases,
  withStatements,
} from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';

/** Calls a function once, after a database has looked up the animals of stored keys. */
const afterItLooked = (database: StoreDatabase, act: () => Promise<unknown>): StoreDatabase => {
  const { byIds } = database.statements;
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
      await success(instance.create(earlier, { idempotency: retried }));

      const { create } = knexPetRepository(
        afterItLooked(other, () => success(instance.create(newPet, { idempotency: contested }))),
      );
      // Creates in the same tick of the event loop share a batch.
      const results = await Promise.all([
        success(create(earlier, { idempotency: retried })),
        success(create(newPet, { idempotency: contested })),
      ]);

      expect(results.map(({ replayed }) => replayed)).to.deep.equal([true, true]);
      expect(await allPets(instance)).to.have.lengthOf(2);
    }));

  it('makes no deadlock, though the instances get two keys in opposite orders', function () {
    // Citus has no triggers on distributed tables.
    if (isDistributed) this.skip();
    return withDatabases(2, postgresDatabase, async (one, other) => {
      // With the pause, each instance inserts its first record before the other inserts its second.
      await one.writePool.raw(
        `create function pause() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return new; end';
         create trigger pause before insert on idempotency_keys for each row execute function pause()`,
      );
      const codes: Array<unknown> = [];
      const pets = [arbitraryNewPet(), arbitraryNewPet()].map(
        (newPet) => [newPet, arbitraryScopedIdempotencyKey()] as const,
      );
      const results = await Promise.all(
        [one, other].flatMap((database) => {
          database.writePool.on('query-error', ({ code }: { readonly code?: string }) => codes.push(code));
          const { create } = knexPetRepository(database);
          return (database === one ? pets : pets.toReversed()).map(([newPet, idempotency]) =>
            success(create(newPet, { idempotency })),
          );
        }),
      );
      expect(new Set(results.map(({ pet }) => pet.id))).to.have.lengthOf(2);
      expect(codes).to.deep.equal(['23505']);
    });
  });

  it('is locked by a replay, so that the commit waits for a synchronous standby', () =>
    withDatabase(postgresDatabase, async (database) => {
      const { create } = knexPetRepository(database);
      const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
      // PostgreSQL keeps the last transaction that locked a row in the column xmax.
      const lastLock = () => database.readPool('idempotency_keys').first('xmax');
      await success(create(newPet, { idempotency }));
      expect(await lastLock()).to.deep.equal({ xmax: '0' });
      expect((await success(create(newPet, { idempotency }))).replayed).to.equal(true);
      expect(await lastLock()).not.to.deep.equal({ xmax: '0' });
    }));
});

describe('an idempotency key on two instances of SQLite', () => {
  it('is replayed by a transaction that holds the write lock before it reads', () =>
    withDatabases(2, sqliteFile, async (one, other) => {
      const [retried, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
      const instance = knexPetRepository(one);
      await success(instance.create(newPet, { idempotency: retried }));
      await one.writePool.raw('PRAGMA busy_timeout = 10');
      let outcome: unknown;
      const { create } = knexPetRepository(
        afterItLooked(other, async () => {
          outcome = await instance.create(newPet)();
        }),
      );
      // Both creates share a batch, which reads the animal of the first and then writes the animal of the second.
      const results = await Promise.all([
        success(create(newPet, { idempotency: retried })),
        success(create(newPet, { idempotency: arbitraryScopedIdempotencyKey() })),
      ]);
      expect(results.map(({ replayed }) => replayed)).to.deep.equal([true, false]);
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
    }));
});
