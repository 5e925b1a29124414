import { expect } from 'chai';
import { type Database, inspectDatabase, knexReadiness, migrate } from '../../../../adapters/knex';
import { generationBegunBy, migrations } from '../../../../adapters/knex/migrations/migrations';
import {
  databaseKinds,
  forInspection,
  sqliteFile,
  openMigrated,
  withEmptyDatabase,
} from '../../../support/databases/databases';
import { addsColour, asProgramWith } from '../../../support/databases/migrations';
import { success } from '../../../contracts/outcome';

const dropsLimits = {
  '901_drop_rate_limits.generation-2': {
    up: (knex) => knex.schema.dropTable('rate_limits'),
    down: () => Promise.resolve(),
  },
} satisfies typeof migrations;

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`Programs of two versions on one ${kind} database`, () => {
    let database: Database;
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
      await asProgramWith(dropsLimits, async () => {
        const outcome = await migrate(database)();
        expect(outcome).to.have.nested.property('left.cause.code', 'PERMANENT');
        expect(outcome)
          .to.have.nested.property('left.cause.message')
          .that.matches(
            /made the tables \(schema generation 1; this version works with 2\); stop every instance .* `animal-store migrate`/,
          );
        expect(await readiness()).to.match(/incompatible version/);
      });
      expect(await readiness()).to.equal(undefined);
    });

    it('do not both serve after a permitted change: the older does not start, is not ready, and says what to do', async () => {
      await asProgramWith(dropsLimits, async () => {
        await success(migrate(database, { mayRaiseGeneration: true }));
        expect(await readiness()).to.equal(undefined);
      });
      expect(await readiness()).to.match(/incompatible version/);
      const outcome = await migrate(database, { mayRaiseGeneration: true })();
      expect(outcome)
        .to.have.nested.property('left.cause.message')
        .that.matches(
          /has migrated the database \(schema generation 2; this version works with 1\); run that version, or restore/,
        );
      const { schema } = await success(inspectDatabase(forInspection(database)));
      expect(schema).to.include({ generation: 2, expectedGeneration: 1 });
    });

    it('begin an empty database with the latest generation', () =>
      withEmptyDatabase(makeDatabase, async (empty) => {
        const ran = await asProgramWith(dropsLimits, () => success(migrate(empty)));
        expect(ran.at(-1)).to.equal('901_drop_rate_limits.generation-2');
      }));
  });
}

/** Tables that decide about access or about retries of creates. */
const restricting = /\b(?:api_keys|creation_keys|rate_limits)\b/;
const breaking = /^(?:drop|delete|update)\b|^alter table .*\b(?:drop|rename|not null)\b/i;

/** Returns the SQL statements on SQLite of each migration after the first. */
const statementsOf = async (): Promise<ReadonlyMap<string, ReadonlyArray<string>>> => {
  const statements = new Map<string, Array<string>>();
  await withEmptyDatabase(sqliteFile, async ({ writes }) => {
    for (const [place, [name, { up }]] of Object.entries(migrations).entries()) {
      const listen = ({ sql }: { readonly sql: string }) => {
        if (/^\s*(?!select|pragma)/i.test(sql)) statements.set(name, [...(statements.get(name) ?? []), sql]);
      };
      if (place > 0) writes.on('query', listen);
      await up(writes);
      writes.off('query', listen);
    }
  });
  return statements;
};

/** Returns migrations that must change the schema generation but do not: they break or bypass older programs. */
const unmarked = async (): Promise<ReadonlyArray<string>> =>
  [...(await statementsOf())]
    .filter(([, statements]) => statements.some((sql) => restricting.test(sql) || breaking.test(sql)))
    .map(([name]) => name)
    .filter((name) => generationBegunBy(name) === undefined);

/** Migrations that need a mark, by what they do. */
const mistakes: typeof migrations = {
  '902_add_expiry_of_keys': {
    up: (knex) => knex.schema.alterTable('api_keys', (columns) => columns.text('ends_at')),
    down: () => Promise.resolve(),
  },
  '903_drop_index': {
    up: (knex) => knex.schema.alterTable('pets', (columns) => columns.dropIndex([], 'pets_by_status')),
    down: () => Promise.resolve(),
  },
};

describe('The migrations', () => {
  it('raise the generation if they restrict access or break older programs, by one each', async () => {
    expect(await unmarked()).to.deep.equal([]);
    const generations = Object.keys(migrations).flatMap((name) => generationBegunBy(name) ?? []);
    expect(generations).to.deep.equal(generations.map((_, place) => place + 2));
    const unmarkedWith = (more: typeof migrations) => asProgramWith({ ...addsColour, ...more }, unmarked);
    expect(await unmarkedWith(mistakes)).to.deep.equal(Object.keys(mistakes));
    expect(await unmarkedWith(dropsLimits)).to.deep.equal([]);
  });
});
