import { expect } from 'chai';
import { knexPetRepository } from '../../../../adapters/knex';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../../../contracts';
import { sourceOf } from '../../../contracts/source-of';
import { postgresDatabase, withDatabase } from '../../../support/databases/databases';
import { maintainedRepository } from '../../../support/databases/maintained-repository';
import { alterTables } from '../../../support/postgres/postgres';

// These tests have a file of their own, because Citus runs the tests of imports, but has no triggers on distributed
// tables.
const shout = [
  `create function shout() returns trigger language plpgsql as $$ begin
     new.name = upper(new.name) || '!';
     return new;
   end $$`,
  'create trigger shout before insert on pets for each row execute function shout()',
];

describe('A PostgreSQL database with a trigger that changes animals', () => {
  it('stores creates without keys once, although they fail after their commit', () =>
    withDatabase(postgresDatabase, async (database) => {
      await alterTables(database, ...shout);
      const { create } = knexPetRepository(database);
      const outcomes = await Promise.all([arbitraryNewPet(), arbitraryNewPet()].map((pet) => create(pet)()));
      for (const outcome of outcomes)
        expect(outcome).to.have.nested.property('left.cause.message').that.includes('triggers');
      expect(await database.readPool('pets').pluck('id')).to.have.lengthOf(2);
    }));

  it('refuses a create with a key and an import, and stores nothing', () =>
    withDatabase(postgresDatabase, async (database) => {
      await alterTables(database, ...shout);
      const { create, importAll } = maintainedRepository(database);
      const writes = [
        create(arbitraryNewPet(), { idempotency: arbitraryScopedIdempotencyKey() }),
        importAll(sourceOf([arbitraryNewPet()])),
      ];
      for (const write of writes)
        expect(await write())
          .to.have.nested.property('left.cause.message')
          .that.includes('triggers');
      expect(await database.readPool('pets').pluck('id')).to.deep.equal([]);
    }));
});
