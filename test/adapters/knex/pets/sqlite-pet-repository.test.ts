import { knexPetRepository, migrate } from '../../../../adapters/knex';
import { petRepositoryContract } from '../../../contracts';
import { sqliteFile } from '../../../support/databases/databases';
import { run } from '../../../support/run';
import { seedPets } from '../../../support/databases/seed-pets';

describe('the Knex pet repository on SQLite', () => {
  petRepositoryContract({ describe, it }, async ({ pets, now }) => {
    const { open, remove } = await sqliteFile();
    const database = open();
    await run(migrate(database));
    await seedPets(database, pets);
    return {
      repository: knexPetRepository(database, { now }),
      close: async () => {
        await database.close();
        await remove();
      },
    };
  });
});
