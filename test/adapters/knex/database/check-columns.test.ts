import { expect } from 'chai';
import {
  backupSqlite,
  checkCopySource,
  knexReadiness,
  migrate,
  type OpenedDatabase,
  openSqlite,
  readSchema,
  restoreSqlite,
  runDoctorChecks,
} from '../../../../adapters/knex';
import { success } from '../../../contracts/outcome';
import { databaseKinds, withDatabase } from '../../../support/databases/databases';
import { inFolder } from '../../../support/temporary-folder';

/** Changes the tables to those of a development version, whose migration of the same name had other columns. */
const makeEarlierTables = async ({ writePool }: OpenedDatabase): Promise<void> => {
  for (const statement of [
    'alter table idempotency_keys rename to creation_keys',
    'alter table api_keys rename column hash to digest',
    'alter table api_keys drop column last_used_at',
    'alter table pets drop column created_at',
    'alter table pets drop column created_by',
    'drop table animal_store_changes',
    "delete from animal_store_migrations where name <> '001_create_tables'",
  ])
    await writePool.raw(statement);
};

const changes = [
  [
    'tables of a development version',
    makeEarlierTables,
    /idempotency_keys.*: another version made the tables/,
  ],
  [
    'no column for the last use of keys',
    ({ writePool }: OpenedDatabase) => writePool.raw('alter table api_keys drop column last_used_at'),
    /lacks api_keys\.last_used_at \(bigint\)/,
  ],
  [
    'a column of another type',
    async ({ writePool }: OpenedDatabase) => {
      await writePool.raw('alter table pets rename column category_id to earlier');
      await writePool.raw('alter table pets add column category_id text');
    },
    /lacks pets\.category_id \(bigint\)/,
  ],
] as const;

const reasonOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  const outcome = await work();
  expect(outcome).to.have.nested.property('left.cause.code');
  return Reflect.get(Reflect.get(Object(Reflect.get(Object(outcome), 'left')), 'cause'), 'message');
};

for (const [kind, makeDatabase] of databaseKinds) {
  describe(`A ${kind} database that lacks what this version needs`, () => {
    for (const [what, change, text] of changes)
      it(`is refused with the name of the column by a start, doctor, copy and readiness: ${what}`, () =>
        withDatabase(makeDatabase, async (database) => {
          await change(database);
          const schema = await success(readSchema(database));
          const named = [
            await reasonOf(runDoctorChecks(database, schema)),
            await reasonOf(migrate(database)),
          ];
          for (const reason of named) expect(reason).to.match(text);
          expect(await knexReadiness(database)()).to.match(/the database lacks /);
          expect(await checkCopySource(database)()).to.have.property('_tag', 'Left');
          expect(await success(readSchema(database)), 'the schema after the refusals').to.deep.equal(schema);
        }));
  });
}

describe('A backup that lacks what this version needs', () => {
  for (const [what, change, text] of changes)
    it(`is not restored, and leaves the database as it was: ${what}`, () =>
      inFolder(async (folder) => {
        const [file, target, other] = ['animals', 'backup', 'other'].map((name) => `${folder}/${name}`);
        const options = { mayReplace: true, signal: new AbortController().signal };
        const database = openSqlite(file ?? '');
        await success(migrate(database));
        await change(database);
        await database.close();
        await backupSqlite(file ?? '', target ?? '', options);
        const restored = await restoreSqlite(target ?? '', other ?? '', options).catch(String);
        expect(restored).to.match(text);
        expect(
          await openSqlite(other ?? '')
            .readPool('sqlite_master')
            .pluck('name'),
        ).to.deep.equal([]);
      }));
});
