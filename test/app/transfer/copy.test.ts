import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { chmod, readdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { copyStore, type CopyState, type OwnDatabase, migrate } from '../../../adapters/knex';
import { type Pet } from '../../../core';
import { success } from '../../contracts/outcome';
import { petWithId } from '../../contracts/pet-repository/seeds';
import { seedPets } from '../../support/databases/catalogue';
import {
  databaseKinds,
  patientPostgresDatabase,
  postgresDatabase,
  sqliteFile,
  type TestDatabase,
} from '../../support/databases/databases';
import { isLocked } from '../../support/databases/sqlite-files';
import { eventually } from '../../support/eventually';
import { call, createPet, idOf } from '../../support/http/client';
import { execute, setLastId } from '../../support/postgres/postgres';
import {
  killPrograms,
  main,
  needsReadableBuild,
  runUnprivileged,
  startCommand,
} from '../../support/processes/command';
import { runInProcess } from '../../support/processes/run-in-process';
import { killServices, startService } from '../../support/service/service-process';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { endConnectionsAtCommit, newLargeCatalogue } from './support';

const bound = 30_000;

const largestSeed = 9007199254740993n;

const names = ['', 'e\u0301', '"\\\n\r\t', '\ufeff', '🐢', "'); drop table pets; --", '$1 ? :x', ' - '];

const oddPets: ReadonlyArray<Pet> = names.map((name, index) => ({
  ...petWithId([-(2n ** 63n), -1n, 0n, 1n, largestSeed, 7n, 8n, 9n][index] ?? 10n),
  name: name,
  ...(index % 2 === 0 ? { status: 'sold' as const } : {}),
}));

const withOpen = async <A>(
  { open }: TestDatabase,
  use: (database: OwnDatabase) => Promise<A>,
): Promise<A> => {
  const database = open();
  try {
    await success(migrate(database));
    return await use(database);
  } finally {
    await database.close();
  }
};

const makeTables = (made: TestDatabase): Promise<void> => withOpen(made, () => Promise.resolve());

/** Returns all values of all tables as text, sorted by their JSON. */
const contentsOf = (made: TestDatabase) =>
  withOpen(made, async ({ reads }) => {
    const contents: Record<string, ReadonlyArray<string>> = {};
    for (const table of ['pets', 'api_keys', 'idempotency_keys']) {
      const columns = Object.keys(await reads(table).columnInfo()).sort();
      const rows: ReadonlyArray<unknown> = await reads(table).select(
        columns.map((column) => reads.raw('cast(?? as text) as ??', [`${table}.${column}`, column])),
      );
      contents[table] = rows.map((row) => JSON.stringify(row)).sort();
    }
    return contents;
  });

const nothing = { pets: [], api_keys: [], idempotency_keys: [] };

const copy = (from: string, to: string) => runInProcess(['copy', to], { DATABASE_URL: from });

const expectFailure = async (from: string, to: string, reason: string, remains = 'nothing was copied') => {
  const { code, stderr } = await copy(from, to);
  expect(stderr).to.include(`error: ${reason}`).and.include(`; ${remains}\n`);
  expect(code).to.equal(1);
};

const rex = '{"name":"Rex","categoryId":9007199254740993}';
const tom = '{"name":"Tom","categoryId":1}';

const fileOf = ({ databaseUrl }: TestDatabase): string => databaseUrl.slice('sqlite:'.length);

/** True while a transaction has written to a database and is not committed. */
const isWritten = async (made: TestDatabase): Promise<boolean> => {
  if (made.databaseUrl.startsWith('sqlite:')) return isLocked(fileOf(made));
  const database = made.open();
  try {
    const found: unknown = await database
      .reads('pg_locks')
      .whereRaw("relation = 'pets'::regclass and mode = 'RowExclusiveLock'")
      .first('pid');
    return found !== undefined;
  } finally {
    await database.close();
  }
};

/** Makes a source with `oddPets` and a target without tables, and removes both afterwards. */
const withBoth = async (
  makeSource: () => Promise<TestDatabase>,
  makeTarget: () => Promise<TestDatabase>,
  test: (source: TestDatabase, target: TestDatabase) => Promise<void>,
): Promise<void> => {
  const [source, target] = [await makeSource(), await makeTarget()];
  try {
    await withOpen(source, async (database) => {
      await seedPets(database, oddPets);
      if (makeSource === postgresDatabase) await setLastId(database, largestSeed);
    });
    await test(source, target);
  } finally {
    await killServices();
    await source.remove();
    await target.remove();
  }
};

describe('The command copy', function () {
  this.timeout(4 * bound);
  afterEach(killPrograms);
  afterEach(removeFolders);

  for (const [sourceKind, makeSource] of databaseKinds) {
    for (const [targetKind, makeTarget] of databaseKinds.filter(([kind]) => kind !== sourceKind)) {
      it(`copies everything from ${sourceKind} to ${targetKind}, where keys of clients go on`, () =>
        withBoth(makeSource, makeTarget, async (source, target) => {
          const environment = { DATABASE_URL: source.databaseUrl };
          const keys = await runInProcess(['keys', 'create', '--name=shop', '--expires=90d'], environment);
          const key = keys.stdout.trim();
          await runInProcess(['keys', 'create', '--name=%'], environment);
          const before = await startService(environment);
          const create = (address: string, json: string, idempotencyKey: string) =>
            call(`${address}/v1/pets`, {
              method: 'POST',
              key,
              body: json,
              headers: { 'Idempotency-Key': idempotencyKey },
            });
          const created = await create(before.address, rex, '"k1"');
          const deleted = await create(before.address, tom, '"k2"');
          await before.stop();
          const lastId = BigInt(idOf(deleted.text));
          expect(lastId).to.equal(largestSeed + 2n);
          await withOpen(source, async ({ writes }) => {
            await writes('pets').where({ id: lastId.toString() }).delete();
          });

          const contents = await contentsOf(source);
          const { code, stdout, stderr } = await copy(source.databaseUrl, target.databaseUrl);
          expect(stderr).to.match(
            /\ncopied and compared: 9 animals, 2 API keys, 2 idempotency keys; the next animal gets an id above 9007199254740995\n$/,
          );
          expect({ code, stdout }).to.deep.equal({ code: 0, stdout: '' });
          expect(await contentsOf(target)).to.deep.equal(contents);
          expect(await contentsOf(source)).to.deep.equal(contents);

          const after = await startService({ DATABASE_URL: target.databaseUrl });
          const replayed = await create(after.address, rex, '"k1"');
          expect([replayed.status, replayed.text]).to.deep.equal([201, created.text]);
          expect((await create(after.address, tom, '"k1"')).status).to.equal(422);
          const next = await create(after.address, tom, '"k3"');
          expect(BigInt(idOf(next.text)) > lastId).to.equal(true);
        }));
    }
  }

  it('copies what a killed service has acknowledged, but refuses a SQLite source in use', () =>
    withBoth(sqliteFile, sqliteFile, async (source, target) => {
      const key = 'a-key-of-32-characters-and-more-';
      const service = await startService({ DATABASE_URL: source.databaseUrl, API_KEYS: key });
      await createPet({ ...service, key }, rex);
      await expectFailure(
        source.databaseUrl,
        target.databaseUrl,
        `the database ${source.databaseUrl} can't be used: it is in use; stop the service and every other program that has it open; `,
      );
      expect(existsSync(fileOf(target))).to.equal(false);
      expect((await createPet({ ...service, key }, tom)).status).to.equal(201);

      service.signal('SIGKILL');
      await service.ended;
      expect((await copy(source.databaseUrl, target.databaseUrl)).stderr).to.include('compared: 10 animals,');
    }));

  it('refuses a target with animals, API keys or idempotency keys', () =>
    withBoth(sqliteFile, postgresDatabase, async (source, target) => {
      const { databaseUrl: url } = target;
      await makeTables(target);
      for (const [fill, table] of [
        ["insert into pets (name, category_id) values ('Rex', 1)", 'pets'],
        ["insert into idempotency_keys values ('x', 'k', '', 1, 1)", 'idempotency_keys'],
        ["insert into api_keys values ('x', 'x', 'x', 'x', 'x', 1)", 'api_keys'],
        [
          "insert into animal_store_changes (id, changed_at, operator, action) values ('x', 1, 'x', 'x')",
          'animal_store_changes',
        ],
      ] as const) {
        await execute(url, fill);
        await expectFailure(
          source.databaseUrl,
          url,
          'the target has animals, keys or records of changes already; copy into an',
        );
        await execute(url, `delete from ${table}`);
      }
      // The address in TARGET_URL hides the password from the list of processes.
      const environment = { DATABASE_URL: source.databaseUrl, TARGET_URL: url };
      expect((await runInProcess(['copy'], environment)).code).to.equal(0);
    }));

  it('says what is wrong with a source or a target', () =>
    withBoth(sqliteFile, postgresDatabase, async (source, target) => {
      const folder = await makeFolder();
      const { databaseUrl: from } = source;
      await symlink(fileOf(source), join(folder, 'link'));
      for (const [one, other, reason] of [
        [from, `sqlite:${join(folder, 'link')}`, 'the source and the target are the same database'],
        [target.databaseUrl, target.databaseUrl, 'the source and the target are the same database'],
        [from, '', 'name the target: add its address, or set TARGET_URL'],
        [from, ' ', 'name the target: add its address, or set TARGET_URL'],
        [from, 'mysql://x', 'TARGET_URL must be sqlite:FILE'],
        [
          from,
          'memory:',
          'this command needs a database, but TARGET_URL is `memory:`; set it to sqlite:FILE',
        ],
        ['memory:', from, 'this command needs a database'],
        [`sqlite:${join(folder, 'none')}`, from, 'there is no animal store in'],
        [target.databaseUrl, `sqlite:${join(folder, 'new')}`, 'the database postgres://'],
        ['postgres://127.0.0.1:1/x', from, "the database postgres://127.0.0.1:1/x can't be used: connect"],
        [from, `sqlite:${join(folder, 'none', 'new')}`, `the database sqlite:${join(folder, 'none', 'new')}`],
        [
          from,
          'postgres://127.0.0.1:1/x',
          "the database postgres://127.0.0.1:1/x can't be used: connect ECONNREFUSED 127.0.0.1:1; start PostgreSQL there, or set the host and port in TARGET_URL",
        ],
      ] as const)
        await expectFailure(one, other, reason);
      expect(await readdir(folder)).to.deep.equal(['link']);
    }));

  it('refuses a source with another schema than that of this version', () =>
    withBoth(sqliteFile, sqliteFile, async (source, target) => {
      const { databaseUrl: url } = source;
      for (const migrations of [['000_earlier'], ['001_create_tables', '999_later.generation-2']]) {
        const { writes, close } = source.open();
        await writes('animal_store_migrations').delete();
        await writes('animal_store_migrations').insert(migrations.map((name) => ({ name, batch: 1 })));
        await close();
        await expectFailure(url, target.databaseUrl, `the database ${url} can't be used: its tables are not`);
        expect(existsSync(fileOf(target))).to.equal(false);
      }
    }));

  it('refuses a SQLite source that this user may not write, and leaves nothing next to it', async function () {
    await needsReadableBuild(this);
    await withBoth(sqliteFile, sqliteFile, async (source) => {
      const folder = dirname(fileOf(source));
      await chmod(folder, 0o777);
      await chmod(fileOf(source), 0o444);
      const { code, stderr } = await runUnprivileged(
        [process.execPath, main, 'copy', `sqlite:${join(folder, 'new')}`],
        { DATABASE_URL: source.databaseUrl },
      );
      expect(stderr).to.include(`this user may only read ${fileOf(source)}, and would leave a log`);
      expect(code).to.equal(1);
      expect(await readdir(folder)).to.deep.equal([basename(fileOf(source))]);
    });
  });

  it('copies one state of a PostgreSQL source, and says what is missing that was added meanwhile', () =>
    withBoth(postgresDatabase, patientPostgresDatabase, (source, target) =>
      withOpen(source, (from) =>
        withOpen(target, async (to) => {
          await from.writes.raw("insert into api_keys values ('x', 'x', 'x', 'x', 'x', 1)");
          // Holds up the copy between the animals and the idempotency keys.
          const lock = await to.writes.transaction();
          await lock.raw('lock table api_keys in exclusive mode');
          const state: CopyState = { rows: 0, phase: 'copying' };
          const counts: Array<string> = [];
          from.reads.on('query', ({ sql }: { readonly sql: string }) => {
            if (sql.includes('count(')) counts.push(sql);
          });
          const copied = copyStore(from, to, state, new AbortController().signal);
          await eventually('the animals are copied', bound, () => state.rows === oddPets.length);
          await from.writes.raw("insert into idempotency_keys values ('late', 'k', '', 1, 1)");
          await lock.commit();
          const outcome: unknown = await copied.catch((error: unknown) => error);
          expect(outcome)
            .to.have.property('message')
            .that.matches(/its services were not stopped: 1 idempotency key missing in the target$/);
          expect(state.phase).to.equal('committed');
          expect(counts, 'statements that only a progress bar needs').to.deep.equal([]);
          expect(await to.reads('api_keys').pluck('id')).to.deep.equal(['x']);
          expect(await to.reads('idempotency_keys').pluck('owner_id')).to.deep.equal([]);
        }),
      ),
    ));

  it('copies from PostgreSQL while the target takes 10 s for a statement', () =>
    withBoth(postgresDatabase, postgresDatabase, async (source, target) => {
      await makeTables(target);
      await execute(
        target.databaseUrl,
        `create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(10); return null; end $$`,
        'create trigger waiting after insert on pets for each statement execute function wait()',
      );
      const { stderr } = await copy(source.databaseUrl, target.databaseUrl);
      expect(stderr).to.include('\ncopied and compared: 8 animals, ');
    }));

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
            const state: CopyState = { rows: 0, phase: 'copying' };
            const withMigrationLock: typeof to.withMigrationLock = (work) =>
              to.withMigrationLock(work).finally(() => from.writes.raw(change));
            const changing = { ...to, withMigrationLock };
            const copied = copyStore(from, changing, state, new AbortController().signal);
            const outcome: unknown = await copied.catch((error: unknown) => error);
            expect(outcome).to.have.property('message').that.includes(`were not stopped: ${text}`);
            expect(state.phase).to.equal('committed');
          }),
        ),
      ));
  }

  it('gives new animals ids above explicit ones, which the sequence of a PostgreSQL source lacks', () =>
    withBoth(postgresDatabase, sqliteFile, async (source, target) => {
      await execute(source.databaseUrl, 'alter sequence pets_id_seq restart');
      const { stderr } = await copy(source.databaseUrl, target.databaseUrl);
      expect(stderr).to.include(`the next animal gets an id above ${largestSeed}\n`);
    }));

  it('stores nothing if the target changes a value', () =>
    withBoth(sqliteFile, sqliteFile, async (source, target) => {
      await withOpen(target, ({ writes }) =>
        writes.raw(
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
