import { type Database, knexPetRepository } from '../../../../adapters/knex';
import {
  idempotencyExpiryContract,
  importAllContract,
  type OpenPetRepository,
  petRepositoryContract,
} from '../../../contracts';
import { openMigrated, postgresDatabase } from '../../../support/databases/databases';
import { setLastId } from '../../../support/postgres/postgres';
import { runnerWithout } from '../../../support/runner-without';
import { seedPets } from '../../../support/databases/catalogue';

// The servers of a cluster commit an import one after another. A list in between may return a part of the import.
const runner =
  process.env['TEST_POSTGRES_IS_DISTRIBUTED'] === 'yes'
    ? runnerWithout('shows no imported animal before all are stored')
    : { describe, it };

describe('the Knex pet repository on PostgreSQL', () => {
  let database: Database;
  let close: () => Promise<void>;

  before(async () => {
    ({ database, close } = await openMigrated(postgresDatabase));
  });

  after(() => close());

  const open: OpenPetRepository = async ({ pets, now }) => {
    await database.writes.raw('truncate pets, creation_keys restart identity');
    await seedPets(database, pets);
    const greatest = pets.reduce((most, { id }) => (id > most ? id : most), 0n);
    if (greatest > 0n) await setLastId(database, greatest);
    return { repository: knexPetRepository(database, { now }), close: () => Promise.resolve() };
  };

  for (const contract of [petRepositoryContract, importAllContract, idempotencyExpiryContract]) {
    contract(runner, open);
  }
});
