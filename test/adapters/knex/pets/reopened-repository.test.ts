import { knexPetRepository, migrate } from '../../../../adapters/knex';
import { reopenedRepositoryContract } from '../../../contracts';
import { databaseKinds } from '../../../support/databases/databases';
import { run } from '../../../support/run';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The Knex pet repository on ${kind}`, () => {
    reopenedRepositoryContract({ describe, it }, async () => {
      const { open, remove } = await makeDatabase();
      let database = open();
      await run(migrate(database));
      return {
        repository: knexPetRepository(database),
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
