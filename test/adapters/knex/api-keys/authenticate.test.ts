import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { apiKeyStore, knexAuthenticate } from '../../../../adapters/knex';
import { ApiKey, callerOf, decodeOrThrow, invalidApiKey, KeyId, OwnerId } from '../../../../core';
import { authenticateContract } from '../../../contracts';
import { databaseKinds, openMigrated, sqliteFile, withDatabase } from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { success } from '../../../contracts/outcome';

const hour = 3_600_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the API keys in ${kind}`, () => {
    authenticateContract({ describe, it }, async () => {
      const { database, close } = await openMigrated(makeDatabase);
      const { create, revoke, rotate } = apiKeyStore(database);
      return {
        authenticate: knexAuthenticate(database),
        issue: async (owner) => {
          const created = await success(
            owner === undefined ? create('somebody') : rotate(owner, { graceMs: hour }),
          );
          return {
            caller: callerOf(decodeOrThrow(KeyId, created.id), decodeOrThrow(OwnerId, created.ownerId)),
            key: decodeOrThrow(ApiKey, created.key),
          };
        },
        revoke: async (id) => {
          await success(revoke(id));
        },
        close,
      };
    });

    it('accept a key until it expires, also one that was accepted a moment earlier', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, rotate } = apiKeyStore(database);
        const authenticate = knexAuthenticate(database);
        const over = await success(create('over', { lifetimeMs: 0 }));
        expect(await authenticate(decodeOrThrow(ApiKey, over.key))()).to.deep.equal(
          E.left(invalidApiKey('expired', decodeOrThrow(KeyId, over.id))),
        );
        const old = await success(create('old'));
        await success(authenticate(decodeOrThrow(ApiKey, old.key)));
        const rotated = performance.now();
        await success(rotate(old.id, { graceMs: 1_000 }));
        await eventually('the old key is refused', 5_000, async () =>
          E.isLeft(await authenticate(decodeOrThrow(ApiKey, old.key))()),
        );
        expect(performance.now() - rotated, 'the grace').to.be.at.least(990);
      }));

    it('are refused from their expiry on, also if they were accepted before', () =>
      withDatabase(makeDatabase, async (database) => {
        const created = await success(apiKeyStore(database).create('short', { lifetimeMs: 1_000 }));
        const authenticate = knexAuthenticate(database);
        const acceptedAt: Array<number> = [];
        await eventually('the key is refused', 5_000, async () => {
          const calledAt = Date.now();
          const isAccepted = E.isRight(await authenticate(created.key)());
          if (isAccepted) acceptedAt.push(calledAt);
          return !isAccepted;
        });
        expect(Math.max(0, ...acceptedAt), 'the last call with success').to.be.below(
          Date.parse(created.expiresAt ?? ''),
        );
      }));

    it('are unknown if their stored hash is damaged', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key, id } = await success(apiKeyStore(database).create('damaged'));
        await database.writes('api_keys').update({ hash: 'ab' });
        expect(await knexAuthenticate(database)(key)()).to.deep.equal(
          E.left(invalidApiKey('unknown', decodeOrThrow(KeyId, id))),
        );
      }));

    it('may only read if they are read-only, also after a rotation', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, rotate, list } = apiKeyStore(database);
        const first = await success(create('a page', { isReadOnly: true }));
        const second = await success(rotate(first.id, { graceMs: hour }));
        const full = await success(create('shop'));
        for (const { key } of [first, second])
          expect(await success(knexAuthenticate(database)(key))).to.include({ isReadOnly: true });
        expect(await success(knexAuthenticate(database)(full.key))).not.to.have.property('isReadOnly');
        expect((await success(list)).filter(({ isReadOnly }) => isReadOnly)).to.have.lengthOf(2);
      }));

    it('are not read again for two seconds after they were accepted', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key } = await success(apiKeyStore(database).create('shop'));
        const authenticate = knexAuthenticate(database);
        let reads = 0;
        database.reads.on('query', () => (reads += 1));
        const began = performance.now();
        for (let calls = 0; calls < 20; calls += 1) await success(authenticate(decodeOrThrow(ApiKey, key)));
        expect(reads).to.be.within(1, 1 + Math.floor((performance.now() - began) / 2_000));
      }));
  });
}

describe('An API key in SQLite whose expiry is not a time', () => {
  it('counts as expired, and is listed', () =>
    withDatabase(sqliteFile, async (database) => {
      const { create, list } = apiKeyStore(database);
      const { key, id } = await success(create('damaged'));
      await database.writes('api_keys').update({ expires_at: 'never' });
      expect(await knexAuthenticate(database)(key)()).to.deep.equal(
        E.left(invalidApiKey('expired', decodeOrThrow(KeyId, id))),
      );
      expect((await success(list))[0]).to.include({ expiresAt: 'an invalid time', isValid: false });
    }));
});
