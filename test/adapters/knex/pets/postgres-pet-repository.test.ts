import { type Database, knexPetRepository, migrate } from '../../../../adapters/knex';
import { petRepositoryContract } from '../../../contracts';
import { postgresDatabase, type TestDatabase } from '../../../support/databases';
import { run } from '../../../support/run';
import { seedPets } from '../../../support/seed-pets';

describe('the Knex pet repository on PostgreSQL', () => {
  let testDatabase: TestDatabase;
  let database: Database;

  before(async () => {
    testDatabase = await postgresDatabase();
    database = testDatabase.open();
    await run(migrate(database));
  });

  after(async () => {
    await database.close();
    await testDatabase.remove();
  });

  petRepositoryContract({ describe, it }, async ({ pets, now }) => {
    await database.writes.raw('truncate pets, creation_keys restart identity');
    await seedPets(database, pets);
    await database.writes.raw(
      `select setval(pg_get_serial_sequence('pets', 'id'), max(id)) from pets having max(id) > 0`,
    );
    return { repository: knexPetRepository(database, { now }), close: () => Promise.resolve() };
  });
});
