import { knexPetRepository, migrate } from '../../../../adapters/knex';
import {
  idempotencyExpiryContract,
  importAllContract,
  type OpenPetRepository,
  petRepositoryContract,
} from '../../../contracts';
import { sqliteFile } from '../../../support/databases/databases';
import { run } from '../../../support/run';
import { seedPets } from '../../../support/databases/catalogue';

const open: OpenPetRepository = async ({ pets, now }) => {
  const file = await sqliteFile();
  const database = file.open();
  await run(migrate(database));
  await seedPets(database, pets);
  return {
    repository: knexPetRepository(database, { now }),
    close: async () => {
      await database.close();
      await file.remove();
    },
  };
};

describe('the Knex pet repository on SQLite', () => {
  for (const contract of [petRepositoryContract, importAllContract, idempotencyExpiryContract]) {
    contract({ describe, it }, open);
  }
});
