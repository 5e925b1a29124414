import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { apiKeyStore, knexAuthenticate } from '../../../../adapters/knex';
import { ApiKey, callerOf, decodeOrThrow, invalidApiKey, KeyId, OwnerId } from '../../../../core';
import { authenticateContract } from '../../../contracts';
import { databaseKinds, openMigrated, withDatabase } from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { success } from '../../../contracts/outcome';

const hour = 3_600_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the API keys in ${kind}`, () => {
    authenticateContract({ describe, it }, async () => {
      const { database, close } = await openMigrated(makeDatabase);
      const { issue, revoke, rotate } = apiKeyStore(database);
      return {
        authenticate: knexAuthenticate(database),
        issue: async (owner) => {
          const issued = await success(
            owner === undefined ? issue('somebody') : rotate(owner, { graceMs: hour }),
          );
          return {
            caller: callerOf(decodeOrThrow(KeyId, issued.id), decodeOrThrow(OwnerId, issued.ownerId)),
            key: decodeOrThrow(ApiKey, issued.key),
          };
        },
        revoke: async (id) => {
          await success(revoke(id));
        },
        close,
      };
    });

    it('let a key in until it ends, also one that was let in a moment before', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, rotate } = apiKeyStore(database);
        const authenticate = knexAuthenticate(database);
        const over = await success(issue('over', { lifetimeMs: 0 }));
        expect(await authenticate(decodeOrThrow(ApiKey, over.key))()).to.deep.equal(
          E.left(invalidApiKey('expired', decodeOrThrow(KeyId, over.id))),
        );
        const old = await success(issue('old'));
        await success(authenticate(decodeOrThrow(ApiKey, old.key)));
        const rotated = performance.now();
        await success(rotate(old.id, { graceMs: 1_000 }));
        await eventually('the old key is refused', 5_000, async () =>
          E.isLeft(await authenticate(decodeOrThrow(ApiKey, old.key))()),
        );
        expect(performance.now() - rotated, 'the grace').to.be.at.least(990);
      }));

    it('count as expired if their expiry is not a time', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key, id } = await success(apiKeyStore(database).issue('damaged'));
        await database.writes('api_keys').update({ expires_at: 'never' });
        expect(await knexAuthenticate(database)(key)()).to.deep.equal(
          E.left(invalidApiKey('expired', decodeOrThrow(KeyId, id))),
        );
      }));

    it('are not read again for two seconds once they were good', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key } = await success(apiKeyStore(database).issue('shop'));
        const authenticate = knexAuthenticate(database);
        let reads = 0;
        database.reads.on('query', () => (reads += 1));
        const began = performance.now();
        for (let calls = 0; calls < 20; calls += 1) await success(authenticate(decodeOrThrow(ApiKey, key)));
        expect(reads).to.be.within(1, 1 + Math.floor((performance.now() - began) / 2_000));
      }));
  });
}
