import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { apiKeyRegister, knexAuthenticate, migrate } from '../../../../adapters/knex';
import { ApiKey, callerOf, invalidApiKey, KeyId, OwnerId } from '../../../../core';
import { authenticateContract } from '../../../contracts';
import { decoded } from '../../../contracts/outcome';
import { databaseKinds } from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { run } from '../../../support/run';
import { withDatabase } from '../../../support/databases/with-database';

/** In milliseconds. */
const hour = 3_600_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the API keys in ${kind}`, () => {
    authenticateContract({ describe, it }, async () => {
      const { open, remove } = await makeDatabase();
      const database = open();
      await run(migrate(database));
      const { issue, revoke, rotate } = apiKeyRegister(database);
      return {
        authenticate: knexAuthenticate(database),
        issue: async (owner) => {
          const issued = await run(owner === undefined ? issue('somebody') : rotate(owner, hour));
          if (issued === undefined) throw new Error('an owner has the id of a key');
          return {
            caller: callerOf(decoded(KeyId, issued.id), decoded(OwnerId, issued.owner)),
            key: decoded(ApiKey, issued.key),
          };
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

    it('let a key in until it ends, also one that was let in a moment before', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, rotate } = apiKeyRegister(database);
        const authenticate = knexAuthenticate(database);
        const over = await run(issue('over', 0));
        expect(await authenticate(decoded(ApiKey, over.key))()).to.deep.equal(E.left(invalidApiKey));
        const old = await run(issue('old'));
        await run(authenticate(decoded(ApiKey, old.key)));
        const rotated = performance.now();
        await run(rotate(old.id, 1_000));
        await eventually('the old key is refused', 5_000, async () =>
          E.isLeft(await authenticate(decoded(ApiKey, old.key))()),
        );
        expect(performance.now() - rotated, 'the grace').to.be.at.least(990);
      }));

    it('know the keys of a database that had no owners, each as its own', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, list, rotate } = apiKeyRegister(database);
        const { id, key } = await run(issue('old'));
        await database.writes('api_keys').where({ id }).update({ owner: null });
        const caller = await run(knexAuthenticate(database)(decoded(ApiKey, key)));
        expect(caller).to.deep.equal({ keyId: id, owner: id });
        expect(await run(list)).to.have.nested.property('[0].owner', id);
        expect(await run(rotate(id, hour))).to.include({ owner: id });
      }));

    it('are not read again for two seconds once they were good', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key } = await run(apiKeyRegister(database).issue('shop'));
        const authenticate = knexAuthenticate(database);
        let reads = 0;
        database.reads.on('query', () => (reads += 1));
        const began = performance.now();
        for (let calls = 0; calls < 20; calls += 1) await run(authenticate(decoded(ApiKey, key)));
        expect(reads).to.be.within(1, 1 + Math.floor((performance.now() - began) / 2_000));
      }));
  });
}
