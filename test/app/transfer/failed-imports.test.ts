import { expect } from 'chai';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { migrations } from '../../../adapters/knex/migrations/migrations';
import { type Catalogue, newCatalogue } from '../../support/databases/catalogue';
import { columnOf, integrityOf, isLocked } from '../../support/databases/sqlite-files';
import { eventually } from '../../support/eventually';
import { execute, inPostgresDatabase } from '../../support/postgres/postgres';
import {
  killPrograms,
  main,
  projectFolder,
  type Running,
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { endConnectionsAtCommit, namesIn, newFile, refuseInserts, runInProcess, someRows } from './support';

const bound = 25_000;

const startImport = (
  { environment }: Pick<Catalogue, 'environment'>,
  options: ReadonlyArray<string> = [],
  folder = projectFolder,
): Running =>
  startProgram(process.execPath, [main, 'import', '-', '--format', 'ndjson', ...options], {
    environment,
    folder,
    isFed: true,
  });

/** Starts an import, and feeds it until the database has some of the animals. */
const importHalf = async (catalogue: Catalogue, options?: ReadonlyArray<string>): Promise<Running> => {
  const running = startImport(catalogue, options);
  running.stdin.write(someRows);
  await eventually('the import is writing', bound, () => isLocked(catalogue.file));
  return running;
};

const expectNothingIn = async ({ file }: Catalogue): Promise<void> => {
  expect(await namesIn(file)).to.deep.equal([]);
  expect(await integrityOf(file)).to.deep.equal(['ok']);
};

describe('An import that does not end well', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  for (const [signal, code, text] of [
    ['SIGINT', 130, 'interrupted by SIGINT: nothing was stored\n'],
    ['SIGTERM', 143, 'interrupted by SIGTERM: nothing was stored\n'],
    ['SIGKILL', null, ''],
  ] as const) {
    it(`stores nothing at ${signal} in the middle, and says so if it can`, async () => {
      const catalogue = await newCatalogue();
      const running = await importHalf(catalogue);
      running.signal(signal);
      expect(withoutDatabaseLine(await running.ended)).to.include({
        code,
        stdout: '',
        stderr: text,
      });
      await expectNothingIn(catalogue);
    });
  }

  it('frees the database at the first invalid row, also next to a file whose name is -', async () => {
    const catalogue = await newCatalogue();
    const folder = await makeFolder();
    await writeFile(join(folder, '-'), '');
    const running = startImport(catalogue, [], folder);
    running.stdin.write(someRows);
    running.stdin.write('{"name":"Rex"}\n');
    const { code, stderr } = await running.ended;
    expect(stderr).to.include(
      '\nerror: line 3001: categoryId is required; nothing was stored; --dry-run lists all invalid rows\n',
    );
    expect(code).to.equal(1);
    await expectNothingIn(catalogue);
  });

  it('stores nothing, and says what to do, while another import is writing', async () => {
    const catalogue = await newCatalogue();
    await importHalf(catalogue);
    const file = await newFile('animals.ndjson', someRows);
    expect(await runInProcess(['import', file], catalogue.environment)).to.include({
      code: 1,
      stderr: `error: SQLITE_BUSY: database is locked; wait until the process that writes to it has ended; nothing was stored\n`,
    });
  });

  it('stores nothing when the database refuses an animal in the middle', async () => {
    const catalogue = await newCatalogue();
    const database = openSqlite(catalogue.file);
    await database.writePool.raw(
      `create trigger refuse before insert on pets when new.name = 'no' begin select raise(abort, 'full'); end`,
    );
    await database.close();
    const file = await newFile('animals.ndjson', `${someRows}{"name":"no","categoryId":1}\n${someRows}`);
    expect(await runInProcess(['import', file], catalogue.environment)).to.include({
      code: 1,
      stderr: `error: SQLITE_CONSTRAINT: full; nothing was stored\n`,
    });
    await expectNothingIn(catalogue);
  });

  it('gives advice if PostgreSQL refuses an animal', () =>
    inPostgresDatabase(async (url) => {
      expect((await runInProcess(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      await refuseInserts(url);
      const file = await newFile('animals.ndjson', someRows);
      const { code, stderr } = await runInProcess(['import', file], { DATABASE_URL: url });
      expect(stderr).to.match(
        /^error: no right; to serve, grant .* set DATABASE_URL to .*; nothing was stored\n$/,
      );
      expect(code).to.equal(1);
    }));

  it('says that all animals were stored if the file of their ids gets no name after the commit', async () => {
    const catalogue = await newCatalogue();
    const file = join(await makeFolder(), 'ids');
    const running = await importHalf(catalogue, ['--ids', file]);
    mkdirSync(file);
    running.stdin.end();
    const { code, stderr } = await running.ended;
    expect(stderr).to.match(
      /: .*: illegal operation on a directory; all animals were stored with new ids from 1 to 3000\n$/,
    );
    expect(code).to.equal(1);
    expect(await namesIn(catalogue.file)).to.have.lengthOf(3_000);
  });

  it('says that all animals were stored or none if the connection ends in the commit', () =>
    inPostgresDatabase(async (url) => {
      expect((await runInProcess(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      await endConnectionsAtCommit(url);
      const file = await newFile('animals.ndjson', someRows);
      const { code, stderr } = await runInProcess(['import', file], { DATABASE_URL: url });
      expect(stderr).to.match(
        /^error: .*; the database did not confirm the commit: either all animals were stored or none; check with `animal-store export` before you import again\n$/,
      );
      expect(code).to.equal(1);
    }));

  it('says what to do if PostgreSQL refuses an animal', () =>
    inPostgresDatabase(async (url) => {
      expect((await runInProcess(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      await execute(url, 'alter sequence pets_id_seq maxvalue 2');
      const file = await newFile('animals.ndjson', someRows);
      const { code, stderr } = await runInProcess(['import', file], { DATABASE_URL: url });
      expect(stderr).to.match(/; if no id is left, raise the maximum of the sequence; nothing was stored\n$/);
      expect(code).to.equal(1);
    }));

  const losses: Readonly<Record<string, (file: string) => Promise<void>>> = {
    'the log is removed': (file) => rm(`${file}-wal`),
    'the log is emptied': (file) => truncate(`${file}-wal`),
    'the file is removed': rm,
  };
  for (const [loss, lose] of Object.entries(losses)) {
    it(`ends if ${loss}`, async () => {
      const catalogue = await newCatalogue();
      const { file } = catalogue;
      const running = startImport(catalogue);
      await eventually('the database is open', bound, () => running.stderr().includes('database: '));
      // At `drain`, the import has read more than its buffers hold. So it has written animals, and the write-ahead log
      // exists.
      for (let row = 0; row < 200; row += 1) running.stdin.write(someRows);
      await once(running.stdin, 'drain');
      await lose(file);
      running.stdin.end();
      const { code, stderr } = await running.ended;
      // The watch does not notice an emptied log, so the import may also succeed.
      if (loss !== 'the log is emptied') expect(code, stderr).to.equal(1);
      if (loss === 'the log is removed')
        expect(await columnOf(file, 'animal_store_migrations', 'name')).to.deep.equal(
          Object.keys(migrations),
        );
    });
  }
});
