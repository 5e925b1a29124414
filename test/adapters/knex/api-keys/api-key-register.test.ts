import { expect } from 'chai';
import { apiKeyRegister } from '../../../../adapters/knex';
import { ApiKey } from '../../../../core';
import { databaseKinds, mostWriters } from '../../../support/databases/databases';
import { run } from '../../../support/run';
import { withDatabase, withDatabases } from '../../../support/databases/with-database';

/** In milliseconds. */
const hour = 3_600_000;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the register of API keys in ${kind}`, () => {
    it('keeps nothing of a key but its hash and its last four characters', () =>
      withDatabase(makeDatabase, async (database) => {
        const { key, id } = await run(apiKeyRegister(database).issue('shop'));
        expect(ApiKey.is(key)).to.equal(true);
        const stored = JSON.stringify(await database.reads('api_keys').select('*'));
        const secret = key.slice(key.lastIndexOf(id) + id.length + 1);
        expect(secret.length).to.be.at.least(43);
        for (let start = 0; start + 5 <= secret.length; start += 1) {
          expect(stored).not.to.include(secret.slice(start, start + 5));
        }
      }));

    it('lists what it issued by when it was made, with when it was revoked', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, list, revoke } = apiKeyRegister(database);
        const issued = [await run(issue('one')), await run(issue('two "犬"'))];
        const revoked = await run(revoke(issued[0]?.id ?? ''));
        const listed = await run(list);
        expect(listed.map(({ name }) => name).toSorted()).to.deep.equal(['one', 'two "犬"']);
        expect(listed.find(({ name }) => name === 'one')).to.deep.equal(revoked);
        expect(revoked?.revoked).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
        expect(listed.find(({ name }) => name !== 'one')?.revoked).to.equal(null);
        for (const { key, id, lastFour } of issued) {
          expect(listed.find((record) => record.id === id)?.lastFour).to.equal(lastFour);
          expect(key.endsWith(lastFour)).to.equal(true);
        }
      }));

    it('keeps the time of the first revocation, and knows no key that it never issued', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, revoke } = apiKeyRegister(database);
        const { id } = await run(issue('shop'));
        const first = await run(revoke(id));
        expect(await run(revoke(id))).to.deep.equal(first);
        expect(await run(revoke(`${id}0`))).to.equal(undefined);
      }));

    it('lists them by when they were made, whatever order the database has them in', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, list } = apiKeyRegister(database);
        const ids: Array<string> = [];
        for (const year of [2003, 2001, 2002]) {
          const { id } = await run(issue(String(year)));
          await database
            .writes('api_keys')
            .where({ id })
            .update({ created_at: `${year}-01-01T00:00:00.000Z` });
          ids.push(id);
        }
        expect((await run(list)).map(({ name }) => name)).to.deep.equal(['2001', '2002', '2003']);
      }));

    it('gives a successor to the same owner, and has the key before it end after the grace', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, list, rotate } = apiKeyRegister(database);
        const first = await run(issue('shop'));
        const before = Date.now();
        const second = await run(rotate(first.id, 2 * hour));
        const third = await run(rotate(second?.id ?? '', hour, 3 * hour));
        for (const key of [first, second, third]) expect(key).to.include({ owner: first.id, name: 'shop' });
        const byId = new Map((await run(list)).map((record) => [record.id, record]));
        const lifetimes = [first, second, third].map((key) => {
          const { expires = null } = byId.get(key?.id ?? '') ?? {};
          return expires && Math.floor((Date.parse(expires) - before) / hour);
        });
        expect(lifetimes).to.deep.equal([2, 1, 3]);
        expect([...byId.values()].map(({ isValid }) => isValid)).to.deep.equal([true, true, true]);
      }));

    it('never lets a key that is rotated last longer than it would', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, list, revoke, rotate } = apiKeyRegister(database);
        const [expiring, revoked] = [await run(issue('one', hour)), await run(issue('two'))];
        await run(revoke(revoked.id));
        await run(rotate(expiring.id, 2 * hour));
        await run(rotate(revoked.id, 2 * hour));
        const records = await run(list);
        expect(records.find(({ id }) => id === expiring.id)).to.include({ expires: expiring.expires });
        expect(records.find(({ id }) => id === revoked.id)).to.include({ isValid: false });
        expect(await run(rotate('nobody', hour))).to.equal(undefined);
        expect(await run(list)).to.have.lengthOf(records.length);
      }));

    it('knows a key that is over as valid no longer', () =>
      withDatabase(makeDatabase, async (database) => {
        const { issue, list, rotate } = apiKeyRegister(database);
        const { id } = await run(issue('shop', 0));
        const next = await run(rotate(id, hour));
        const valid = (await run(list)).filter(({ isValid }) => isValid);
        expect(valid.map((record) => record.id)).to.deep.equal([next?.id]);
      }));

    it('issues one first key to four that ask at once', () =>
      withDatabases(mostWriters, makeDatabase, async (...databases) => {
        const keys = await Promise.all(
          databases.map((database) => run(apiKeyRegister(database).issueFirst('first'))),
        );
        expect(keys.filter((key) => key !== undefined)).to.have.lengthOf(1);
      }));

    it('issues no first key where there is one, and waits for no writer to say so', () =>
      withDatabases(2, makeDatabase, async (...databases) => {
        const [one, other] = databases.map((database) => ({ ...database, ...apiKeyRegister(database) }));
        if (one === undefined || other === undefined) throw new Error('two were opened');
        await run(one.issue('shop'));
        await one.withMigrationLock(async () => {
          expect(await run(other.issueFirst('first'))).to.equal(undefined);
        });
      }));
  });
}
