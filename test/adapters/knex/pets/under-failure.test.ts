import { type Database, knexPetRepository, migrate } from '../../../../adapters/knex';
import { underFailureContract } from '../../../contracts';
import { databaseKinds } from '../../../support/databases/databases';
import { setLastId } from '../../../support/postgres/postgres';
import { run } from '../../../support/run';
import { seedPets } from '../../../support/databases/catalogue';

/** Makes the driver refuse what adds animals, for as long as `isBroken`. */
const refuseInserts = ({ writes }: Database, isBroken: () => boolean): void => {
  writes.on('query', ({ sql }: { sql: string }) => {
    if (isBroken() && sql.startsWith('insert into pets')) throw new Error('the store is broken');
  });
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The Knex pet repository on ${kind}`, () => {
    underFailureContract({ describe, it }, async (pets) => {
      const { open, remove } = await makeDatabase();
      let isBroken = false;
      let database = open();
      await run(migrate(database));
      await seedPets(database, pets);
      if (kind === 'PostgreSQL') await setLastId(database, 5n);
      refuseInserts(database, () => isBroken);
      const turn = (to: boolean) => () => {
        isBroken = to;
        return Promise.resolve();
      };
      return {
        repository: knexPetRepository(database),
        breakStore: turn(true),
        mendStore: turn(false),
        reopen: async () => {
          await database.close();
          database = open();
          return knexPetRepository(database);
        },
        close: async () => {
          await database.close();
          await remove();
        },
      };
    });
  });
}
