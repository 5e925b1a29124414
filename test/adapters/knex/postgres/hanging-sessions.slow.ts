import { expect } from 'chai';
import { knexPetRepository, migrate, type OpenedDatabase, openPostgres } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';
import { execute } from '../../../support/postgres/postgres';
import { type PostgresServer, withOwnPostgres } from '../../../support/postgres/postgres-server';

const options = { poolSize: 3, statementTimeoutMs: 400 };

const withStore = (
  test: (database: OpenedDatabase, server: PostgresServer) => Promise<void>,
): Promise<void> =>
  withOwnPostgres(async (server) => {
    const database = openPostgres(server.url, options);
    try {
      await success(migrate(database));
      await test(database, server);
    } finally {
      await database.close();
    }
  });

const sessions = (server: PostgresServer) =>
  server.query("select pid from pg_stat_activity where application_name = 'animal-store'");

describe('A PostgreSQL server that has lost its synchronous standby', () => {
  it('acknowledges no create, keeps no session that waits for the standby, and answers reads', () =>
    withStore(async (database, server) => {
      const { create, list } = knexPetRepository(database);
      await execute(
        server.url,
        "alter system set synchronous_standby_names = 'nobody'",
        'select pg_reload_conf()',
      );
      await eventually('a create waits for the standby', 20_000, async () => {
        const outcome = await create(arbitraryNewPet())();
        return outcome._tag === 'Left';
      });
      for (let round = 0; round < 4; round += 1) {
        const outcomes = await Promise.all([create(arbitraryNewPet())(), create(arbitraryNewPet())()]);
        for (const outcome of outcomes) expect(outcome).to.have.nested.property('left._tag', 'Unavailable');
        await success(list({ limit: 1 }));
      }
      await eventually('no session waits', 20_000, async () => {
        const rows = await server.query("select pid from pg_stat_activity where wait_event = 'SyncRep'");
        return rows.length === 0;
      });
      expect(await sessions(server)).to.have.length.within(0, options.poolSize);
    }));
});
