import { type Database, knexPetRepository } from '../../../../adapters/knex';
import type { Pet } from '../../../../core';
import {
  idempotencyExpiryContract,
  importAllContract,
  petRepositoryContract,
  reopenedRepositoryContract,
  underFailureContract,
} from '../../../contracts';
import { databaseKinds, openMigrated } from '../../../support/databases/databases';
import { seedPets } from '../../../support/databases/catalogue';
import { setLastId } from '../../../support/postgres/postgres';
import { runnerWithout } from '../../../support/runner-without';

type Kind = (typeof databaseKinds)[number][0];

const emptyTables = {
  SQLite: async ({ writes }: Database): Promise<void> => {
    for (const table of ['pets', 'creation_keys', 'sqlite_sequence']) await writes(table).delete();
  },
  PostgreSQL: ({ writes }: Database) => writes.raw('truncate pets, creation_keys restart identity'),
};

const seed = async (kind: Kind, database: Database, pets: ReadonlyArray<Pet>): Promise<void> => {
  await seedPets(database, pets);
  const greatest = pets.reduce((most, { id }) => (id > most ? id : most), 0n);
  if (kind === 'PostgreSQL' && greatest > 0n) await setLastId(database, greatest);
};

/** Makes the driver reject inserts of animals while `isBroken` returns true. */
const refuseInserts = ({ writes }: Database, isBroken: () => boolean): void => {
  writes.on('query', ({ sql }: { sql: string }) => {
    if (isBroken() && sql.startsWith('insert into pets')) throw new Error('the store is broken');
  });
};

// The servers of a Citus cluster commit an import one after another. A list in between may return a part of the import.
const runner =
  process.env['TEST_POSTGRES_IS_DISTRIBUTED'] === 'yes'
    ? runnerWithout('shows no imported animal before all are stored')
    : { describe, it };

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The Knex pet repository on ${kind}`, () => {
    let shared: Awaited<ReturnType<typeof openMigrated>>;
    before(async () => {
      shared = await openMigrated(makeDatabase);
    });
    after(() => shared.close());

    for (const contract of [petRepositoryContract, importAllContract, idempotencyExpiryContract]) {
      contract(runner, async ({ pets, now }) => {
        const { database } = shared;
        await emptyTables[kind](database);
        await seed(kind, database, pets);
        return { repository: knexPetRepository(database, { now }), close: () => Promise.resolve() };
      });
    }

    reopenedRepositoryContract(runner, async (options) => {
      const { database, reopen, close } = await openMigrated(makeDatabase);
      return {
        repository: knexPetRepository(database, options),
        reopen: async () => knexPetRepository(await reopen(), options),
        close,
      };
    });

    underFailureContract(runner, async (pets) => {
      const { database, reopen, close } = await openMigrated(makeDatabase);
      let isBroken = false;
      await seed(kind, database, pets);
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
