import { expect } from 'chai';
import { knexReadiness } from '../../../../adapters/knex';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { eventually } from '../../../support/eventually';

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`the readiness of ${kind}`, () => {
    it('costs a commit a second at most, however many ask, and is found out anew after it', () =>
      withDatabase(makeDatabase, async (database) => {
        let commits = 0;
        database.writes.on('query', ({ sql }: { sql: string }) => {
          if (sql.includes('heartbeats')) commits += 1;
        });
        const began = performance.now();
        const check = knexReadiness(database);
        const answers = await Promise.all(Array.from({ length: 50 }, () => check()));
        expect(new Set(answers)).to.deep.equal(new Set([undefined]));
        for (let count = 0; count < 50; count += 1) await check();
        expect(commits).to.be.within(1, 1 + Math.floor((performance.now() - began) / 1_000));
        await eventually('it is written again', 20_000, async () => {
          await check();
          return commits > 1;
        });
      }));
  });
}
