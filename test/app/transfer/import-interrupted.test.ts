import { expect } from 'chai';
import { migrate, openSqlite } from '../../../adapters/knex';
import { success } from '../../contracts/outcome';
import { type Catalogue, newCatalogue } from '../../support/databases/catalogue';
import {
  killPrograms,
  main,
  type Running,
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { eventually } from '../../support/eventually';
import { integrityOf, isLocked } from '../../support/databases/sqlite-files';
import { inPostgresDatabase } from '../../support/postgres/postgres';
import { removeFolders } from '../../support/temporary-folder';
import { endConnectionsAtCommit, namesIn, newFile, runInProcess } from './support';

/** More animals than a batch has, so that some are already in the transaction. */
const someRows = '{"name":"Rex","categoryId":1}\n'.repeat(1_000);

const bound = 25_000;

const firstLine = 'the animals get new ids; `animal-store copy` keeps ids\n';

const startImport = ({ environment }: Catalogue, ...options: ReadonlyArray<string>): Running =>
  startProgram(process.execPath, [main, 'import', '-', '--format', 'ndjson', ...options], {
    environment,
    isFed: true,
  });

/** Starts an import, and feeds it without end until the database has some of the animals. */
const importHalf = async (catalogue: Catalogue, ...options: ReadonlyArray<string>): Promise<Running> => {
  const running = startImport(catalogue, ...options);
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

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`stores nothing, and says so, at ${signal} in the middle`, async () => {
      const catalogue = await newCatalogue();
      const running = await importHalf(catalogue, '--json');
      running.signal(signal);
      const { stderr, ...ended } = withoutDatabaseLine(await running.ended);
      expect(ended).to.deep.equal({ code, signal: null, stdout: '' });
      expect(stderr).to.equal(`${firstLine}interrupted by ${signal}: nothing was stored\n`);
      await expectNothingIn(catalogue);
    });
  }

  it('stores nothing, and says what to do, while another import is writing', async () => {
    const catalogue = await newCatalogue();
    await importHalf(catalogue);
    const file = await newFile('animals.ndjson', someRows);
    const { code, stderr } = await runInProcess(['import', file], catalogue.environment);
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `${firstLine}the import failed: SQLITE_BUSY: database is locked; wait until the process that writes to it has ended; nothing was stored\n`,
    });
  });

  it('stores nothing when it is killed in the middle', async () => {
    const catalogue = await newCatalogue();
    const running = await importHalf(catalogue);
    running.signal('SIGKILL');
    expect(withoutDatabaseLine(await running.ended)).to.include({
      signal: 'SIGKILL',
      stdout: '',
      stderr: firstLine,
    });
    await expectNothingIn(catalogue);
  });

  it('stores nothing when the database refuses an animal in the middle', async () => {
    const catalogue = await newCatalogue();
    const database = openSqlite(catalogue.file);
    await success(migrate(database));
    await database.writes.raw(
      `create trigger refuse before insert on pets when new.name = 'no' begin select raise(abort, 'full'); end`,
    );
    await database.close();
    const file = await newFile('animals.ndjson', `${someRows}{"name":"no","categoryId":1}\n${someRows}`);
    const { code, stderr } = await runInProcess(['import', file], catalogue.environment);
    expect({ code, stderr }).to.deep.equal({
      code: 1,
      stderr: `${firstLine}the import failed: SQLITE_CONSTRAINT: full; nothing was stored\n`,
    });
    await expectNothingIn(catalogue);
  });

  it('says that all animals were stored or none if the connection ends in the commit', () =>
    inPostgresDatabase(async (url) => {
      expect((await runInProcess(['migrate'], { DATABASE_URL: url })).code).to.equal(0);
      await endConnectionsAtCommit(url);
      const file = await newFile('animals.ndjson', someRows);
      const { code, stderr } = await runInProcess(['import', file], { DATABASE_URL: url });
      expect(stderr).to.match(
        /\nthe import failed: .*; the database did not confirm the commit: either 1000 animals were stored or none; check with `animal-store export` before you import again\n$/,
      );
      expect(code).to.equal(1);
    }));

  it('frees the database at the first invalid row, and reports the rows after it', async () => {
    const catalogue = await newCatalogue();
    const running = await importHalf(catalogue);
    running.stdin.write('{"name":"Rex"}\n');
    await eventually('the database is free', bound, () => !isLocked(catalogue.file));
    running.stdin.end(`${someRows}{"categoryId":2}\n`);
    const { code, stderr } = withoutDatabaseLine(await running.ended);
    expect(code).to.equal(1);
    expect(stderr).to.equal(
      `${firstLine}line 1001: categoryId is required\nline 2002: name is required\n` +
        'the import failed: 2 of 2002 rows are invalid; nothing was stored\n',
    );
    await expectNothingIn(catalogue);
  });
});
