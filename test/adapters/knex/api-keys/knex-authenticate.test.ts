import { apiKeyRegister, knexAuthenticate, migrate } from '../../../../adapters/knex';
import { ApiKey, KeyId } from '../../../../core';
import { authenticateContract } from '../../../contracts';
import { decoded } from '../../../contracts/outcome';
import { databaseKinds } from '../../../support/databases';
import { run } from '../../../support/run';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the API keys in ${kind}`, () => {
    authenticateContract({ describe, it }, async () => {
      const { open, remove } = await makeDatabase();
      const database = open();
      await run(migrate(database));
      const { issue, revoke } = apiKeyRegister(database);
      return {
        authenticate: knexAuthenticate(database),
        issue: async () => {
          const { id, key } = await run(issue('somebody'));
          return { id: decoded(KeyId, id), key: decoded(ApiKey, key) };
        },
        revoke: async (id) => {
          await run(revoke(id));
        },
        close: async () => {
          await database.close();
          await remove();
        },
      };
    });
  });
}
