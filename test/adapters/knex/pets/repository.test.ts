import { type Database, knexPetRepository } from '../../../../adapters/knex';
import {
  idempotencyExpiryContract,
  importAllContract,
  type OpenPetRepository,
  petRepositoryContract,
  reopenedRepositoryContract,
  underFailureContract,
} from '../../../contracts';
import { databaseKinds, openMigrated, sqliteFile } from '../../../support/databases/databases';
import { seedPets } from '../../../support/databases/catalogue';
import { setLastId } from '../../../support/postgres/postgres';

const open: OpenPetRepository = async ({ pets, now }) => {
  const { database, close } = await openMigrated(sqliteFile);
  await seedPets(database, pets);
  return { repository: knexPetRepository(database, { now }), close };
};

describe('the Knex pet repository on SQLite', () => {
  for (const contract of [petRepositoryContract, importAllContract, idempotencyExpiryContract]) {
    contract({ describe, it }, open);
  }
});

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The Knex pet repository on ${kind}`, () => {
    reopenedRepositoryContract({ describe, it }, async (options) => {
      const { database, reopen, close } = await openMigrated(makeDatabase);
      return {
        repository: knexPetRepository(database, options),
        reopen: async () => knexPetRepository(await reopen(), options),
        close,
      };
    });
  });
}

/** Makes the driver reject inserts of animals while `isBroken` returns true. */
const refuseInserts = ({ writes }: Database, isBroken: () => boolean): void => {
  writes.on('query', ({ sql }: { sql: string }) => {
    if (isBroken() && sql.startsWith('insert into pets')) throw new Error('the store is broken');
  });
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The Knex pet repository on ${kind}`, () => {
    underFailureContract({ describe, it }, async (pets) => {
      const { database, reopen, close } = await openMigrated(makeDatabase);
      let isBroken = false;
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
        reopen: async () => knexPetRepository(await reopen()),
        close,
      };
    });
  });
}
