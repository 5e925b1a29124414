import { expect } from 'chai';
import { apiKeyRegister } from '../../../../adapters/knex';
import { ApiKey } from '../../../../core';
import { databaseKinds, mostWriters } from '../../../support/databases';
import { run } from '../../../support/run';
import { withDatabase, withDatabases } from '../../../support/with-database';

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

    it('issues one first key to four that ask at once', () =>
      withDatabases(mostWriters, makeDatabase, async (...databases) => {
        const keys = await Promise.all(
          databases.map((database) => run(apiKeyRegister(database).issueFirst('first'))),
        );
        expect(keys.filter((key) => key !== undefined)).to.have.lengthOf(1);
      }));
  });
}
