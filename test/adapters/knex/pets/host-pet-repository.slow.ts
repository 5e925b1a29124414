import { expect } from 'chai';
import knex, { type Knex } from 'knex';
import { agingRepository } from '../../../support/databases/aging';
import { replacePets } from '../../../support/databases/catalogue';
import { runnerWithout } from '../../../support/mocha';
import { createPostgresDatabase } from '../../../support/postgres/postgres';
import { success } from '../../../contracts/outcome';
import { newDatabaseFile, removeFolders } from '../../../support/temporary-folder';
import { hostDatabase, migrate } from '../../../../adapters/knex';
import {
  idempotencyExpiryContract,
  petMaintenanceContract,
  petRepositoryContract,
  type PetRepositoryOptions,
} from '../../../contracts';

const contracts = [petRepositoryContract, petMaintenanceContract, idempotencyExpiryContract];

interface Host {
  readonly own: Knex;
  readonly remove: () => Promise<unknown>;
}

const onSqlite = async (): Promise<Host> => {
  const connection = { filename: await newDatabaseFile() };
  return {
    own: knex({ client: 'sqlite3', connection, useNullAsDefault: true }),
    remove: removeFolders,
  };
};

const onPostgres = async (): Promise<Host> => {
  const { url, drop } = await createPostgresDatabase();
  return { own: knex({ client: 'pg', connection: url }), remove: drop };
};

const importIsUnseen = 'shows no imported animal before all are stored';
const failureIsForgotten = 'assigns no id past the largest: a create is Unavailable and stores nothing';

const runnerOf = {
  // knex by default opens one connection to a SQLite file. An import occupies it, so the reads of the omitted test
  // would not end.
  SQLite: runnerWithout(importIsUnseen),
  // Each test runs in one transaction, which sees its own writes, and accepts no statement after a failed one.
  PostgreSQL: runnerWithout(importIsUnseen, failureIsForgotten),
};

for (const [kind, makeHost] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const) {
  describe(`The Knex pet repository in a transaction of a host on ${kind}`, () => {
    let host: Host;

    before(async () => {
      host = await makeHost();
      await success(migrate(hostDatabase(host.own)));
    });

    after(async () => {
      await host.own.destroy();
      await host.remove();
    });

    const openOn = async (on: Knex, { pets, now }: PetRepositoryOptions) => {
      const database = hostDatabase(on);
      await replacePets(database, pets);
      return agingRepository(database, now);
    };

    for (const contract of contracts) {
      contract(runnerOf[kind], async (options) => {
        const transaction = await host.own.transaction();
        return {
          repository: await openOn(transaction, options),
          close: async () => {
            await transaction.rollback();
            expect(await host.own('pets').pluck('id')).to.deep.equal([]);
          },
        };
      });
    }
  });
}
