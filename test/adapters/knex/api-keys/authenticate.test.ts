import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import {
  apiKeyStore,
  hostDatabase,
  knexAuthenticate,
  type OpenedDatabase,
  type StoreDatabase,
} from '../../../../adapters/knex';
import { ApiKey, callerOf, decodeOrThrow, invalidApiKey, KeyId, OwnerId } from '../../../../core';
import { authenticateContract } from '../../../contracts';
import {
  databaseKinds,
  openMigrated,
  sqliteFile,
  withDatabase,
  withDatabases,
} from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';
import { nextTurn } from '../../../contracts/next-turn';
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
        // The key may be accepted in the millisecond of its expiry, because both clocks are read in whole milliseconds.
        expect(Math.max(0, ...acceptedAt), 'the last call with success').to.be.at.most(
          Date.parse(created.expiresAt ?? ''),
        );
      }));

    it('are unknown if their stored hash is damaged', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key, id } = await success(apiKeyStore(database).create('damaged'));
        await database.writePool('api_keys').update({ hash: 'ab' });
        expect(await knexAuthenticate(database)(key)()).to.deep.equal(
          E.left(invalidApiKey('unknown', decodeOrThrow(KeyId, id))),
        );
      }));

    it('are Unavailable if their stored owner is damaged', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key, id } = await success(apiKeyStore(database).create('damaged'));
        await database.writePool('api_keys').update({ owner_id: '' });
        expect(await knexAuthenticate(database)(key)())
          .to.have.nested.property('left.cause.message')
          .that.equals(`the row with id ${id} in table api_keys has an invalid owner_id; correct it`);
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

    it('are read again after two seconds, even if no timer can run', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, revoke } = apiKeyStore(database);
        const { id, key } = await success(create('shop'));
        const authenticate = knexAuthenticate(database)(decodeOrThrow(ApiKey, key));
        await success(authenticate);
        await success(revoke(id));
        await success(authenticate);
        const until = performance.now() + 2_100;
        while (performance.now() < until);
        expect(E.isLeft(await authenticate())).to.equal(true);
      }));

    it('are not read again for two seconds after they were accepted, and are in no statement', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key } = await success(apiKeyStore(database).create('shop'));
        const authenticate = knexAuthenticate(database);
        const reads: Array<string> = [];
        database.readPool.on('query', (query) => reads.push(JSON.stringify(query)));
        const began = performance.now();
        for (let calls = 0; calls < 20; calls += 1) await success(authenticate(decodeOrThrow(ApiKey, key)));
        expect(reads.length).to.be.within(1, 1 + Math.floor((performance.now() - began) / 2_000));
        expect(reads.join()).not.to.include(key);
      }));
  });
}

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The last use of an API key in ${kind}`, () => {
    const usesOf = async (database: StoreDatabase): Promise<ReadonlyArray<string | null>> =>
      (await success(apiKeyStore(database).list)).map(({ lastUsedAt }) => lastUsedAt);

    it('is recorded once an hour, by two instances together, and not for a rejected key', () =>
      withDatabases(2, makeDatabase, async (one, other) => {
        const { create } = apiKeyStore(one);
        const { key, id } = await success(create('shop'));
        const { key: expired } = await success(create('expired', { lifetimeMs: 0 }));
        let [begun, ended, changed] = [0, 0, 0];
        const counting = (database: OpenedDatabase): OpenedDatabase => ({
          ...database,
          write: async (statement) => {
            begun += 1;
            const rows = await database.write(statement);
            ended += 1;
            if (typeof rows === 'number') changed += rows;
            return rows;
          },
        });
        const useOnBoth = async (): Promise<void> => {
          await Promise.all(
            [one, other].map(async (database) => {
              const authenticate = knexAuthenticate(counting(database));
              for (let count = 0; count < 3; count += 1) await success(authenticate(key));
              await authenticate(expired)();
            }),
          );
          await nextTurn();
          await eventually('each write has ended', 10_000, () => ended === begun);
        };
        const began = Date.now();
        await useOnBoth();
        const [first, rejected] = await usesOf(one);
        expect(Date.parse(first ?? '')).to.be.within(began, Date.now());
        expect(rejected).to.equal(null);

        await useOnBoth();
        expect(await usesOf(one)).to.deep.equal([first, null]);
        expect(changed).to.equal(1);
        const last_used_at = Date.now() - hour - 1;
        await one.writePool('api_keys').where({ id }).update({ last_used_at });
        await useOnBoth();
        expect(Date.parse((await usesOf(one))[0] ?? '')).to.be.at.least(began);
        expect(changed).to.equal(2);
      }));

    it('neither delays nor fails a request if it cannot be recorded', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key } = await success(apiKeyStore(database).create('shop'));
        for (const write of [
          () => new Promise<never>(() => undefined),
          () => Promise.reject(new Error('full')),
        ])
          await success(knexAuthenticate({ ...database, write })(key));
        await nextTurn();
      }));

    it('is not recorded in the transaction of a host, which a failed write would abort', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key } = await success(apiKeyStore(database).create('shop'));
        const statements: Array<string> = [];
        database.writePool.on('query', ({ sql }: { sql: string }) => statements.push(sql));
        await database.writePool.transaction(async (transaction) => {
          await success(knexAuthenticate(hostDatabase(transaction))(key));
          await nextTurn();
        });
        expect(statements.join()).not.to.include('update');
        expect(await usesOf(database)).to.deep.equal([null]);
      }));
  });
}

describe('An API key in SQLite whose expiry is not a time', () => {
  it('counts as expired, and is listed', () =>
    withDatabase(sqliteFile, async (database) => {
      const { create, list } = apiKeyStore(database);
      const { key, id } = await success(create('damaged'));
      await database.writePool('api_keys').update({ expires_at: 'never' });
      expect(await knexAuthenticate(database)(key)()).to.deep.equal(
        E.left(invalidApiKey('expired', decodeOrThrow(KeyId, id))),
      );
      expect((await success(list))[0]).to.include({ expiresAt: 'an invalid time', isValid: false });
    }));
});
