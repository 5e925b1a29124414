import { expect } from 'chai';
import { knexPetRepository } from '../../../adapters/knex';
import { arbitraryNewPet } from '../../contracts';
import { inTurn } from '../../support/catalogue';
import { postgresDatabase } from '../../support/databases';
import { run } from '../../support/run';
import { withDatabase } from '../../support/with-database';

/** Lets the statements pass, and makes the commit fail. */
const refuseCommits = `
  create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
  create constraint trigger refuse after insert on pets deferrable initially deferred
    for each row execute function refuse()`;

describe('An import whose commit fails', () => {
  it('is not taken for stored', () =>
    withDatabase(postgresDatabase, async (database) => {
      const { createAll } = knexPetRepository(database);
      await database.writes.raw(refuseCommits);
      const outcome = await createAll(inTurn([arbitraryNewPet(), arbitraryNewPet()]))();
      expect(outcome).to.have.property('_tag', 'Left');
      expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
      expect(outcome).to.have.nested.property('left.cause.message', 'not today');
      expect(await database.reads('pets').pluck('id')).to.deep.equal([]);

      await database.writes.raw('drop trigger refuse on pets');
      expect(await run(createAll(inTurn([arbitraryNewPet()])))).to.equal(1);
    }));
});
