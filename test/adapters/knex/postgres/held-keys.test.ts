import { expect } from 'chai';
import type { Knex } from 'knex';
import { type Database, knexPetRepository } from '../../../../adapters/knex';
import type { ScopedIdempotencyKey } from '../../../../core';
import { arbitraryScopedIdempotencyKey, arbitraryNewPet } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import {
  patientPostgresDatabase,
  postgresDatabase,
  withDatabases,
} from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';

/** Holds an idempotency key, as another instance that hangs during a create would. */
const holdKey = async (
  { writes }: Database,
  { ownerId, idempotencyKey }: ScopedIdempotencyKey,
): Promise<Knex.Transaction> => {
  const transaction = await writes.transaction();
  await transaction('creation_keys').insert({
    owner_id: ownerId,
    idempotency_key: idempotencyKey,
    pet_id: '1',
    expires_at: Number.MAX_SAFE_INTEGER,
  });
  return transaction;
};

describe('an idempotency key that an instance which hangs holds in PostgreSQL', () => {
  it('fails who sends it to another instance, and none whose creation shares the transaction', () =>
    withDatabases(2, postgresDatabase, async (database, other) => {
      const held = arbitraryScopedIdempotencyKey();
      const transaction = await holdKey(other, held);
      try {
        const repository = knexPetRepository(database);
        const keys = [
          held,
          ...Array.from({ length: 10 }, arbitraryScopedIdempotencyKey),
          ...Array<undefined>(10),
        ];
        const [outcome, ...others] = await Promise.all(
          keys.map((key) => repository.create(arbitraryNewPet(), key)()),
        );
        expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
        expect(others.filter(({ _tag }) => _tag === 'Left')).to.deep.equal([]);
        expect(await allPets(repository)).to.have.lengthOf(others.length);
      } finally {
        await transaction.rollback();
      }
    }));
});

const day = 24 * 60 * 60 * 1000;

describe('expired idempotency records that an instance which hangs is purging, in PostgreSQL', () => {
  it('make no creation wait, with a key or without', () =>
    withDatabases(2, patientPostgresDatabase, async (database, other) => {
      const clock = { time: Date.UTC(2026, 0, 1) };
      const repository = knexPetRepository(database, { now: () => clock.time });
      await success(repository.create(arbitraryNewPet(), arbitraryScopedIdempotencyKey()));
      clock.time += day + 1;
      const transaction = await other.writes.transaction();
      await transaction('creation_keys').delete();
      try {
        for (const key of [arbitraryScopedIdempotencyKey(), undefined, arbitraryScopedIdempotencyKey()]) {
          await success(repository.create(arbitraryNewPet(), key));
        }
      } finally {
        await transaction.rollback();
      }
    }));
});
