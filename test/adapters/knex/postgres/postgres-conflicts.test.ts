import { expect } from 'chai';
import type { OpenedDatabase } from '../../../../adapters/knex';
import { retryConflicts } from '../../../../adapters/knex/database/transactions';
import { arbitraryScopedIdempotencyKey, arbitraryNewPet } from '../../../contracts';
import { arbitraryPetId } from '../../../contracts/arbitrary';
import { allPets } from '../../../contracts/pet-repository/pages-of';
import { portFunctions } from '../../../contracts/pet-repository/port-functions';
import { postgresDatabase, withDatabase } from '../../../support/databases/databases';
import { maintainedRepository } from '../../../support/databases/maintained-repository';
import { alterTables } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';

/**
 * Makes the first inserts fail with a serialization error. A sequence counts the inserts, because a rollback does not
 * reset it. Uses a default value, because Citus has no triggers on distributed tables.
 */
const refuseFirst = (database: OpenedDatabase, times: number): Promise<void> =>
  alterTables(
    database,
    'create sequence attempts',
    `create function attempt() returns bigint language plpgsql as $$ begin
       if nextval('attempts') <= ${times} then raise exception 'conflict' using errcode = '40001'; end if;
       return 1;
     end $$`,
    'alter table pets add column attempt bigint',
    'alter table pets alter column attempt set default attempt()',
  );

const refuseFirstReads = async ({ writePool }: OpenedDatabase, times: number): Promise<void> => {
  await writePool.raw('create sequence attempts');
  await writePool.raw('alter table pets rename to stored_pets');
  await writePool.raw(
    `create function refusing_pets() returns setof stored_pets language plpgsql as $$ begin
       if nextval('attempts') <= ${times} then raise exception 'conflict' using errcode = '40001'; end if;
       return query select * from stored_pets;
     end $$`,
  );
  await writePool.raw('create view pets as select * from refusing_pets()');
};

const attemptsMade = async ({ readPool }: OpenedDatabase): Promise<unknown> =>
  readPool('attempts')
    .first('last_value')
    .then((row: { last_value: string }) => Number(row.last_value));

describe('a serialization failure of PostgreSQL (SQLSTATE 40001)', () => {
  for (const idempotency of [undefined, arbitraryScopedIdempotencyKey()]) {
    it(`is tried again, ${idempotency ? 'with a key' : 'without a key'}, and makes one animal`, () =>
      withDatabase(postgresDatabase, async (database) => {
        await refuseFirst(database, 3);
        const repository = maintainedRepository(database);
        const { pet, replayed } = await success(repository.create(arbitraryNewPet(), { idempotency }));
        expect(replayed).to.equal(false);
        expect(await allPets(repository)).to.deep.equal([pet]);
        expect(await attemptsMade(database)).to.equal(4);
      }));
  }

  it('is tried six times, and then the store is Unavailable', () =>
    withDatabase(postgresDatabase, async (database) => {
      await refuseFirst(database, 1_000);
      const repository = maintainedRepository(database);
      const outcome = await repository.create(arbitraryNewPet())();
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
      expect(await allPets(repository)).to.deep.equal([]);
      expect(await attemptsMade(database)).to.equal(6);
    }));

  const { list, find, importAll } = portFunctions;

  for (const [name, { call }] of Object.entries({ list, find })) {
    it(`is tried again: ${name}`, () =>
      withDatabase(postgresDatabase, async (database) => {
        const repository = maintainedRepository(database);
        const { pet } = await success(repository.create(arbitraryNewPet()));
        const undisturbed = await success(call(repository, pet.id));
        await refuseFirstReads(database, 3);
        expect(await success(call(repository, pet.id))).to.deep.equal(undisturbed);
        expect(await attemptsMade(database)).to.equal(4);
      }));
  }

  it('ends an import, whose source can be read once, and stores nothing', () =>
    withDatabase(postgresDatabase, async (database) => {
      await refuseFirst(database, 1);
      const repository = maintainedRepository(database);
      expect(await importAll.call(repository, arbitraryPetId())()).to.have.property('_tag', 'Left');
      expect(await allPets(repository)).to.deep.equal([]);
    }));
});

describe('retryConflicts', () => {
  for (const [code, runs, reason] of [
    ['40P01', 2, 'a transaction that conflicted with another'],
    ['23505', 2, 'a transaction that conflicted with another'],
    ...['23514', '53300', '57014', 'SQLITE_BUSY', 'SQLITE_FULL'].map(
      (permanent) => [permanent, 1, 'no permanent failure, and none with an unknown outcome'] as const,
    ),
  ] as const) {
    it(`retries ${reason} (${code})`, async () => {
      let count = 0;
      const outcome = retryConflicts(() => {
        count += 1;
        return count > 1 ? Promise.resolve('done') : Promise.reject(Object.assign(new Error(), { code }));
      });
      expect(await outcome.catch(() => 'failed')).to.equal(runs > 1 ? 'done' : 'failed');
      expect(count).to.equal(runs);
    });
  }
});
