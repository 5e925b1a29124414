import { expect } from 'chai';
import { type OpenedDatabase, knexPetRepository } from '../../../../adapters/knex';
import {
  idempotencyExpiryContract,
  petMaintenanceContract,
  petRepositoryContract,
  reopenedRepositoryContract,
  underFailureContract,
} from '../../../contracts';
import { agingRepository } from '../../../support/databases/aging';
import {
  isDistributed,
  openMigrated,
  patientPostgresDatabase,
  sqliteFile,
} from '../../../support/databases/databases';
import { maintainedRepository } from '../../../support/databases/maintained-repository';
import { replacePets } from '../../../support/databases/catalogue';
import { runnerWithout } from '../../../support/mocha';

/** Makes the driver reject writes of animals while `isBroken` returns true. */
const refuseWrites = ({ writePool }: OpenedDatabase, isBroken: () => boolean): void => {
  writePool.on('query', ({ sql }: { sql: string }) => {
    if (isBroken() && /^(?:insert into|update|delete from) (?:"\w+"\.)?[`"]?pets/.test(sql))
      throw new Error('the store is broken');
  });
};

// The servers of a Citus cluster commit an import one after another. A list in between may return a part of the import.
const runner = isDistributed
  ? runnerWithout('shows no imported animal before all are stored')
  : { describe, it };

for (const [kind, makeDatabase] of [
  ['SQLite', sqliteFile],
  ['PostgreSQL', patientPostgresDatabase],
] as const) {
  describe(`The Knex pet repository on ${kind}`, () => {
    let shared: Awaited<ReturnType<typeof openMigrated>>;
    before(async () => {
      shared = await openMigrated(makeDatabase);
    });
    after(() => shared.close());

    for (const contract of [petRepositoryContract, petMaintenanceContract, idempotencyExpiryContract]) {
      contract(runner, async ({ pets, now }) => {
        await replacePets(shared.database, pets);
        return { repository: agingRepository(shared.database, now), close: () => Promise.resolve() };
      });
    }

    it('answers another list before many lists by two filters, which no index serves', async () => {
      const repository = knexPetRepository(shared.database);
      let ended = 0;
      const scans = Array.from({ length: 50 }, async (_, place) => {
        const query = { limit: 1, status: 'sold', categoryId: BigInt(place) } as const;
        expect(await repository.list(query)()).to.have.property('_tag', 'Right');
        ended += 1;
      });
      expect(await repository.list({ limit: 1 })()).to.have.property('_tag', 'Right');
      expect(ended).to.be.below(scans.length);
      await Promise.all(scans);
    });

    reopenedRepositoryContract(runner, async ({ now }) => {
      const { database, reopen, close } = await openMigrated(makeDatabase);
      return {
        repository: agingRepository(database, now),
        reopen: async () => agingRepository(await reopen(), now),
        close,
      };
    });

    underFailureContract(runner, async (pets) => {
      const { database, reopen, close } = await openMigrated(makeDatabase);
      let isBroken = false;
      await replacePets(database, pets);
      refuseWrites(database, () => isBroken);
      const turn = (to: boolean) => () => {
        isBroken = to;
        return Promise.resolve();
      };
      return {
        repository: maintainedRepository(database),
        breakStore: turn(true),
        mendStore: turn(false),
        reopen: async () => maintainedRepository(await reopen()),
        close,
      };
    });
  });
}
