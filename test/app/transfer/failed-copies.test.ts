import { expect } from 'chai';
import { copyStore, type CopyProgress } from '../../../adapters/knex';
import {
  patientPostgresDatabase,
  postgresDatabase,
  sqliteFile,
  type TestDatabase,
} from '../../support/databases/databases';
import { isLocked } from '../../support/databases/sqlite-files';
import { eventually } from '../../support/eventually';
import { killPrograms, startCommand } from '../../support/processes/command';
import { removeFolders } from '../../support/temporary-folder';
import {
  bound,
  contentsOf,
  copy,
  expectFailure,
  fileOf,
  makeTables,
  nothing,
  oddPets,
  withBoth,
  withOpen,
} from './copy-support';
import { endConnectionsAtCommit, newLargeCatalogue, refuseInserts } from './support';

/** True while a transaction has written to a database and is not committed. */
const isWritten = async (made: TestDatabase): Promise<boolean> => {
  if (made.databaseUrl.startsWith('sqlite:')) return isLocked(fileOf(made));
  const database = made.open();
  try {
    const found: unknown = await database
      .readPool('pg_locks')
      .whereRaw("relation = 'pets'::regclass and mode = 'RowExclusiveLock'")
      .first('pid');
    return found !== undefined;
  } finally {
    await database.close();
  }
};

/** Options of a copy, and a function that returns its last progress. */
const watchedCopy = () => {
  const reports: Array<CopyProgress> = [];
  const onProgress = (progress: CopyProgress) => void reports.push(progress);
  return { options: { signal: new AbortController().signal, onProgress }, progress: () => reports.at(-1) };
};

describe('The command copy', function () {
  this.timeout(4 * bound);
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('copies one state of a PostgreSQL source, and says what is missing that was added meanwhile', () =>
    withBoth(postgresDatabase, patientPostgresDatabase, (source, target) =>
      withOpen(source, (from) =>
        withOpen(target, async (to) => {
          await from.writePool.raw("insert into api_keys values ('x', 'x', 'x', 'x', 'x', 1)");
          // This lock stops the copy between the animals and the idempotency keys.
          const lock = await to.writePool.transaction();
          await lock.raw('lock table api_keys in exclusive mode');
          const { options, progress } = watchedCopy();
          const counts: Array<string> = [];
          from.readPool.on('query', ({ sql }: { readonly sql: string }) => {
            if (sql.includes('count(')) counts.push(sql);
          });
          const copied = copyStore(from, to, options)();
          await eventually('the animals are copied', bound, () => progress()?.rows === oddPets.length);
          await from.writePool.raw("insert into idempotency_keys values ('late', 'k', '', 1, 1)");
          await lock.commit();
          expect(await copied)
            .to.have.nested.property('left.cause.message')
            .that.matches(/its services were not stopped: 1 idempotency key missing in the target$/);
          expect(progress()?.phase).to.equal('committed');
          expect(counts, 'statements that only a progress bar needs').to.deep.equal([]);
          expect(await to.readPool('api_keys').pluck('id')).to.deep.equal(['x']);
          expect(await to.readPool('idempotency_keys').pluck('owner_id')).to.deep.equal([]);
        }),
      ),
    ));

  for (const [change, text] of [
    [
      "insert into pets (name, category_id) values ('late', 1), ('late', 2)",
      '2 animals missing in the target',
    ],
    ["update pets set name = 'late' where id = 0", 'changed animals'],
    ['delete from pets where id = 0', '1 animal deleted since'],
    ["select nextval('pets_id_seq')", 'the last id, which is 9007199254740994 now'],
  ] as const) {
    it(`fails after the commit if the source has changed meanwhile: ${change}`, () =>
      withBoth(postgresDatabase, sqliteFile, (source, target) =>
        withOpen(source, (from) =>
          withOpen(target, async (to) => {
            const { options, progress } = watchedCopy();
            const withStoreLock: typeof to.withStoreLock = (work) =>
              to.withStoreLock(work).finally(() => from.writePool.raw(change));
            const changing = { ...to, withStoreLock };
            expect(await copyStore(from, changing, options)())
              .to.have.nested.property('left.cause.message')
              .that.includes(`were not stopped: ${text}`);
            expect(progress()?.phase).to.equal('committed');
          }),
        ),
      ));
  }

  it('stores nothing if the target changes a value', () =>
    withBoth(sqliteFile, sqliteFile, async (source, target) => {
      await withOpen(target, ({ writePool }) =>
        writePool.raw(
          `create trigger change after insert on pets begin update pets set category_id = 2 where id = new.id; end`,
        ),
      );
      await expectFailure(
        source.databaseUrl,
        target.databaseUrl,
        'the target differs from the source in table pets;',
      );
      expect(await contentsOf(target)).to.deep.equal(nothing);
    }));

  it('gives the advice of the target, and names its setting, if the target refuses', () =>
    withBoth(sqliteFile, postgresDatabase, async (source, target) => {
      await makeTables(target);
      await refuseInserts(target.databaseUrl);
      await expectFailure(source.databaseUrl, target.databaseUrl, 'no right; to serve, grant');
      const { stderr } = await copy(source.databaseUrl, target.databaseUrl);
      expect(stderr).to.include('set TARGET_URL to the address of a role');
    }));

  it('tells a failure of the source from one of the target', () =>
    withBoth(sqliteFile, sqliteFile, (source, target) =>
      withOpen(source, (from) =>
        withOpen(target, async (to) => {
          const fail = () => Promise.reject(new Error('no id'));
          const failing = { ...from, statements: { ...from.statements, readLastId: fail } };
          const { options } = watchedCopy();
          expect(await copyStore(failing, to, options)()).to.have.nested.property('left.database', 'source');
        }),
      ),
    ));

  it('says that the target has everything or nothing if the connection ends in the commit', () =>
    withBoth(sqliteFile, postgresDatabase, async (source, target) => {
      await makeTables(target);
      await endConnectionsAtCommit(target.databaseUrl);
      const remains = 'the target did not confirm the commit: it has everything or nothing';
      await expectFailure(source.databaseUrl, target.databaseUrl, '', remains);
    }));

  for (const [signal, code, makeTarget] of [
    ['SIGINT', 130, sqliteFile],
    ['SIGKILL', null, postgresDatabase],
  ] as const) {
    const kind = makeTarget === sqliteFile ? 'SQLite' : 'PostgreSQL';
    it(`leaves an empty target in ${kind} at ${signal} in the middle`, () =>
      withBoth(sqliteFile, makeTarget, async (_source, target) => {
        const { environment } = await newLargeCatalogue(200_000);
        await makeTables(target);
        const running = startCommand(['copy', target.databaseUrl], environment);
        await eventually('the copy is writing', bound, () => isWritten(target));
        running.signal(signal);
        const ended = await running.ended;
        expect(ended.code).to.equal(code);
        if (signal === 'SIGINT')
          expect(ended.stderr).to.match(/\ninterrupted by SIGINT: nothing was copied\n$/);
        await eventually('the target is free', bound, async () => !(await isWritten(target)));
        expect(await contentsOf(target)).to.deep.equal(nothing);
      }));
  }
});
