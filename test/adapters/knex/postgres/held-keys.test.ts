import { expect } from 'chai';
import type { Knex } from 'knex';
import { type OpenedDatabase, knexPetRepository } from '../../../../adapters/knex';
import { idempotencyTtlMs, type PetRepository, type ScopedIdempotencyKey } from '../../../../core';
import { arbitraryScopedIdempotencyKey, arbitraryNewPet } from '../../../contracts';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import { ageKeys } from '../../../support/databases/aging';
import { postgresDatabase, postgresWith, withDatabases } from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { success } from '../../../contracts/outcome';

/** Holds an idempotency key, as another instance that hangs during a create would. */
const holdKey = async (
  { writePool }: OpenedDatabase,
  { ownerId, idempotencyKey }: ScopedIdempotencyKey,
): Promise<Knex.Transaction> => {
  const transaction = await writePool.transaction();
  await transaction('idempotency_keys').insert({
    owner_id: ownerId,
    idempotency_key: idempotencyKey,
    content_hash: '',
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
          keys.map((idempotency) => repository.create(arbitraryNewPet(), { idempotency })()),
        );
        expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
        expect(others.filter(({ _tag }) => _tag === 'Left')).to.deep.equal([]);
        expect(await allPets(repository)).to.have.lengthOf(others.length);
      } finally {
        await transaction.rollback();
      }
    }));
});

/** Runs a test while another session has locked one of two expired records. */
const whileOneIsLocked = (
  options: { readonly poolSize: number },
  test: (repository: PetRepository, countExpired: () => Promise<number>) => Promise<void>,
): Promise<void> =>
  withDatabases(2, postgresWith({ ...options, statementTimeoutMs: 60_000 }), async (database, other) => {
    const repository = knexPetRepository(database);
    const [locked, free] = [arbitraryScopedIdempotencyKey(), arbitraryScopedIdempotencyKey()];
    for (const idempotency of [locked, free])
      await success(repository.create(arbitraryNewPet(), { idempotency }));
    await ageKeys(database, idempotencyTtlMs);
    const transaction = await other.writePool.transaction();
    const { ownerId: owner_id, idempotencyKey: idempotency_key } = locked;
    await transaction('idempotency_keys').where({ owner_id, idempotency_key }).forUpdate();
    const expired = () =>
      transaction('idempotency_keys')
        .whereRaw(`expires_at <= ${database.statements.nowSql}`)
        .select('owner_id');
    try {
      await test(repository, async () => (await expired()).length);
    } finally {
      await transaction.rollback();
    }
  });

const createWithAndWithoutKey = async ({ create }: PetRepository): Promise<void> => {
  for (const idempotency of [arbitraryScopedIdempotencyKey(), undefined, arbitraryScopedIdempotencyKey()])
    await success(create(arbitraryNewPet(), { idempotency }));
};

describe('Expired idempotency records of which another session has locked one', () => {
  it('delay no create in PostgreSQL', () => whileOneIsLocked({ poolSize: 10 }, createWithAndWithoutKey));

  // This title does not name PostgreSQL, because the run on Citus would then choose this test, and Citus can't skip
  // locked rows.
  it('do not occupy the only connection, and the purge deletes the others', () =>
    whileOneIsLocked({ poolSize: 1 }, (repository, countExpired) =>
      eventually('the other record is deleted', 20_000, async () => {
        await createWithAndWithoutKey(repository);
        return (await countExpired()) === 1;
      }),
    ));
});
