import { expect } from 'chai';
import { type OpenedDatabase, readSchema, knexReadiness, migrate } from '../../../../adapters/knex';
import type { migrations } from '../../../../adapters/knex/migrations/migrations';
import { databaseKinds, openMigrated, withEmptyDatabase } from '../../../support/databases/databases';
import { addsColour, asProgramWith } from '../../../support/databases/migrations';
import { success } from '../../../contracts/outcome';

const dropsIndex = {
  '901_drop_index.generation-2': {
    up: (knex) => knex.raw('drop index pets_by_category'),
    down: () => Promise.resolve(),
  },
} satisfies typeof migrations;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`Programs of two versions on one ${kind} database`, () => {
    let database: OpenedDatabase;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ database, close } = await openMigrated(makeDatabase));
    });

    afterEach(() => close());

    const readiness = (): Promise<string | undefined> => knexReadiness(database)();

    it('both serve if the newer one only adds', async () => {
      expect(await asProgramWith(addsColour, () => success(migrate(database)))).to.deep.equal([
        '900_add_colour',
      ]);
      expect(await success(migrate(database))).to.deep.equal([]);
      expect(await readiness()).to.equal(undefined);
    });

    it('do not both serve if the newer one breaks the older, which waits for the operator', async () => {
      await asProgramWith(dropsIndex, async () => {
        const outcome = await migrate(database)();
        expect(outcome).to.have.nested.property('left.cause.kind', 'EarlierGeneration');
        expect(outcome)
          .to.have.nested.property('left.cause.message')
          .that.matches(/made the tables \(schema generation 1; this version works with 2\)$/);
        expect(await readiness()).to.match(/incompatible version/);
      });
      expect(await readiness()).to.equal(undefined);
    });

    it('do not both serve after a permitted change: the older does not start, and is not ready', async () => {
      await asProgramWith(dropsIndex, async () => {
        await success(migrate(database, { mayRaiseGeneration: true }));
        expect(await readiness()).to.equal(undefined);
      });
      expect(await readiness()).to.match(/incompatible version/);
      const outcome = await migrate(database, { mayRaiseGeneration: true })();
      expect(outcome).to.have.nested.property('left.cause.kind', 'NewerGeneration');
      expect(outcome)
        .to.have.nested.property('left.cause.message')
        .that.matches(/has migrated the database \(schema generation 2; this version works with 1\)$/);
      const schema = await success(readSchema(database));
      expect(schema).to.include({ generation: 2, expectedGeneration: 1 });
    });

    it('begin an empty database with the latest generation', () =>
      withEmptyDatabase(makeDatabase, async (empty) => {
        const ran = await asProgramWith(dropsIndex, () => success(migrate(empty)));
        expect(ran.at(-1)).to.equal('901_drop_index.generation-2');
      }));
  });
}
