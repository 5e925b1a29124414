import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import { type ApiKeyRecord, apiKeyStore, databaseStatus } from '../../../../adapters/knex';
import { ApiKey } from '../../../../core';
import {
  databaseKinds,
  mostWriters,
  withDatabase,
  withDatabases,
} from '../../../support/databases/databases';
import { success } from '../../../contracts/outcome';

const hour = 3_600_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`The API keys stored in ${kind}`, () => {
    it('lists keys by the time of their creation, without their secrets, with the time of their revocation', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, revoke } = apiKeyStore(database);
        const created = [];
        for (const [name, year] of [
          ['third "犬"', 2003],
          ['first', 2001],
          ['second', 2002],
        ] as const) {
          const key = await success(create(name));
          const created_at = Date.UTC(year);
          await database.writePool('api_keys').where({ id: key.id }).update({ created_at });
          created.push(key);
        }
        const revoked = await success(revoke(created[1]?.id ?? ''));
        expect(revoked.revokedAt).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
        const listed = await success(list);
        expect(listed[2]?.createdAt).to.equal('2003-01-01T00:00:00.000Z');
        expect(listed.map(({ name }) => name)).to.deep.equal(['first', 'second', 'third "犬"']);
        expect(listed[0]).to.deep.equal(revoked);
        expect(listed[1]?.revokedAt).to.equal(null);
        const rows = JSON.stringify(await database.readPool('api_keys'));
        for (const { key, id, lastFour } of created) {
          expect(ApiKey.is(key)).to.equal(true);
          expect(listed.find((record) => record.id === id)?.lastFour).to.equal(lastFour);
          expect(key.endsWith(lastFour)).to.equal(true);
          expect(rows).not.to.include(key.slice(-10, -4));
        }
      }));

    it('keeps the time of the first revocation, and finds no key that it never created', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, revoke } = apiKeyStore(database);
        const { id } = await success(create('shop'));
        const first = await success(revoke(id));
        expect(await success(revoke(id))).to.deep.equal(first);
        expect(await revoke(`${id}0`)()).to.deep.equal(E.left({ _tag: 'ApiKeyNotFound', id: `${id}0` }));
      }));

    it('counts as valid exactly the keys that the list calls valid', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, revoke } = apiKeyStore(database);
        for (const lifetimeMs of [undefined, hour, 0, -hour]) {
          await success(create('kept', { lifetimeMs }));
          const { id } = await success(create('revoked', { lifetimeMs }));
          await success(revoke(id));
        }
        const valid = (await success(list)).filter(({ isValid }) => isValid);
        const ending = valid.filter(({ expiresAt }) => expiresAt !== null);
        const { validKeys, endingOwners } = await success(databaseStatus(database));
        expect(valid).to.have.lengthOf(2);
        expect(validKeys).to.equal(2);
        expect(endingOwners.map(({ owner }) => owner)).to.deep.equal(ending.map(({ ownerId }) => ownerId));
      }));

    it('gives a successor to the same owner, and lets the old key expire after the grace period', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, rotate } = apiKeyStore(database);
        const first = await success(create('shop'));
        const before = Date.now();
        const second = await success(rotate(first.id, { graceMs: 2 * hour }));
        const third = await success(rotate(second.id, { graceMs: hour, lifetimeMs: 3 * hour }));
        for (const key of [first, second, third]) expect(key).to.include({ ownerId: first.id, name: 'shop' });
        const byId = new Map((await success(list)).map((record) => [record.id, record]));
        const lifetimes = [first, second, third].map((key) => {
          const { expiresAt = null } = byId.get(key.id) ?? {};
          return expiresAt && Math.floor((Date.parse(expiresAt) - before) / hour);
        });
        expect(lifetimes).to.deep.equal([2, 1, 3]);
        expect([...byId.values()].map(({ isValid }) => isValid)).to.deep.equal([true, true, true]);
      }));

    it('refuses to rotate a key that was revoked or never created, and changes nothing', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, revoke, rotate } = apiKeyStore(database);
        const { id } = await success(create('shop'));
        await success(revoke(id));
        const records = await success(list);
        expect(await rotate(id, { graceMs: hour })()).to.deep.equal(E.left({ _tag: 'ApiKeyRevoked', id }));
        expect(await rotate('other', { graceMs: hour })()).to.deep.equal(
          E.left({ _tag: 'ApiKeyNotFound', id: 'other' }),
        );
        expect(await success(list)).to.deep.equal(records);
      }));

    it('gives a successor the lifetime of the old key, unless another one is given', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, rotate } = apiKeyStore(database);
        const lifetimeOf = ({ createdAt, expiresAt }: ApiKeyRecord): number | null =>
          expiresAt === null ? null : Date.parse(expiresAt) - Date.parse(createdAt);
        const first = await success(create('shop', { lifetimeMs: 3 * hour }));
        await success(rotate(first.id, { graceMs: 4 * hour }));
        expect((await success(list))[0]?.expiresAt, 'a grace past the end').to.equal(first.expiresAt);
        const second = await success(rotate(first.id, { graceMs: hour }));
        expect(lifetimeOf(second), 'a successor').to.equal(3 * hour);
        // The rotated key now expires after the grace period, not after the lifetime with which it was created.
        const third = await success(rotate(first.id, { graceMs: 0 }));
        expect(lifetimeOf(third), 'a second successor of the same key').to.equal(3 * hour);
        const told = await success(rotate(third.id, { graceMs: hour, lifetimeMs: 2 * hour }));
        expect(lifetimeOf(told), 'told a lifetime').to.equal(2 * hour);
        const lasting = await success(create('shop'));
        const last = await success(rotate(lasting.id, { graceMs: hour }));
        expect(lifetimeOf(last), 'a successor of a key without an end').to.equal(null);
      }));

    it('lists an expired key as invalid', () =>
      withDatabase(makeDatabase, async (database) => {
        const { create, list, rotate } = apiKeyStore(database);
        const { id } = await success(create('shop', { lifetimeMs: 0 }));
        const next = await success(rotate(id, { graceMs: hour, lifetimeMs: hour }));
        const valid = (await success(list)).filter(({ isValid }) => isValid);
        expect(valid.map((record) => record.id)).to.deep.equal([next.id]);
      }));

    it('creates one first key to four that ask at once', () =>
      withDatabases(mostWriters, makeDatabase, async (...databases) => {
        const keys = await Promise.all(
          databases.map((database) => success(apiKeyStore(database).bootstrapKey('first'))),
        );
        expect(keys.filter((key) => key !== undefined)).to.have.lengthOf(1);
      }));

    it('creates no first key next to another one, and needs no lock to find that out', () =>
      withDatabases(2, makeDatabase, async (one, other) => {
        await success(apiKeyStore(one).create('shop'));
        await one.withStoreLock(async () => {
          expect(await success(apiKeyStore(other).bootstrapKey('first'))).to.equal(undefined);
        });
      }));
  });
}
