import { inMemoryQuota, postgresQuota } from '../../../adapters/rate-limiter';
import { migrate } from '../../../adapters/knex';
import { consumeQuotaContract } from '../../contracts';
import { postgresDatabase } from '../../support/databases/databases';
import { run } from '../../support/run';

describe('the quota in memory', () => {
  consumeQuotaContract({ describe, it }, (limit) =>
    Promise.resolve({ consumeQuota: inMemoryQuota(limit), close: () => Promise.resolve() }),
  );
});

describe('the quota in PostgreSQL', () => {
  consumeQuotaContract({ describe, it }, async (limit) => {
    const { open, remove } = await postgresDatabase();
    const database = open();
    await run(migrate(database));
    return {
      consumeQuota: postgresQuota(database.writes, limit),
      close: async () => {
        await database.close();
        await remove();
      },
    };
  });
});
