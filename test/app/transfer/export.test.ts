import { openSqlite } from '../../../adapters/knex';
import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newCatalogue } from '../../support/databases/catalogue';
import { killPrograms, main } from '../../support/processes/command';
import { startAtTerminal } from '../../support/processes/terminal';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { animals, csvHeader, csvRow, namesIn, newFile, runInProcess, runScript } from './support';

/** Returns the lines of an export for the animals with these ids. */
const ndjsonOf = (...ids: ReadonlyArray<number>): string =>
  ids
    .map((id) => {
      const status = id % 3 === 1 ? ',"status":"sold"' : '';
      return `{"id":${id},"name":"animal ${id}","categoryId":9007199254740993${status}}\n`;
    })
    .join('');

const oneNamed = (name: string, categoryId = 1n) => [{ name: name, categoryId: categoryId }];

const earlier = 'what was there';

describe('The command export', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('writes all animals by ascending id, or those of one status', async () => {
    const { environment } = await newCatalogue(animals(250));
    const ids = Array.from({ length: 250 }, (_, index) => index + 1);
    expect(await runInProcess(['export', '--format', 'ndjson'], environment)).to.include({
      code: 0,
      stdout: ndjsonOf(...ids),
      stderr: '250 animals exported\n',
    });
    const sold = await runInProcess(['export', '-', '--format=ndjson', '--status=sold'], environment);
    expect(sold.stdout).to.equal(ndjsonOf(...ids.filter((id) => id % 3 === 1)));
    expect(await runInProcess(['export', '--format=csv', '--status=pending'], environment)).to.include({
      stdout: `${csvHeader}\r\n`,
      stderr: '0 animals exported\n',
    });
    expect((await runInProcess(['export', '--format=csv', '--status=gone'], environment)).code).to.equal(2);
    const category = ['--format=ndjson', '--category-id=9007199254740993', '--order=desc'];
    const newestFirst = await runInProcess(['export', ...category], environment);
    expect(newestFirst.stdout).to.equal(ndjsonOf(...ids.toReversed()));
  });

  it('puts a quote before a name that a spreadsheet would run as a formula, and a byte order mark, if asked to', async () => {
    const { environment } = await newCatalogue(oneNamed('=1+1', -1n));
    const command = ['export', '--format=csv'];
    expect((await runInProcess(command, environment)).stdout).to.include(
      `\r\n${csvRow({ name: '=1+1', categoryId: -1, id: 1 })}\r\n`,
    );
    const escaped = await runInProcess([...command, '--escape-formulas', '--bom'], environment);
    expect(escaped.stdout).to.equal(
      `\ufeff${csvHeader}\r\n${csvRow({ name: "'=1+1", categoryId: -1, id: 1 })}\r\n`,
    );
  });

  it('shows control characters escaped at a terminal, and then its summary', async () => {
    const { file, environment } = await newCatalogue(oneNamed('a\x1b[2Jb\u202e\r\nc'));
    for (const [format, shown] of [
      ['csv', `${csvHeader}\r\n${csvRow({ name: '"a\\u001b[2Jb\\u202e\r\nc"', categoryId: 1, id: 1 })}`],
      ['ndjson', '{"id":1,"name":"a\\u001b[2Jb\\u202e\\r\\nc","categoryId":1}'],
    ] as const) {
      const command = `${process.execPath} ${main} export --format ${format}`;
      const { stdout } = await startAtTerminal(command, { environment }).ended;
      expect(stdout).to.equal(`\x1b[2mdatabase: sqlite:${file}\x1b[22m\r\n${shown}\r\n1 animal exported\r\n`);
    }
  });

  it('replaces a file when the export is complete, but only with --replace', async () => {
    const catalogue = await newCatalogue(animals(2));
    const folder = await makeFolder();
    const file = join(folder, 'animals.csv');
    await writeFile(file, earlier);
    await link(file, join(folder, 'earlier'));
    expect(await runInProcess(['export', file], catalogue.environment)).to.include({
      code: 1,
      stderr: `error: ${file} exists; name another file, or replace it with --replace; ${file} is unchanged\n`,
    });
    expect(await readFile(file, 'utf8')).to.equal(earlier);
    expect(await runInProcess(['export', file, '--replace'], catalogue.environment)).to.include({
      code: 0,
      stdout: '',
    });
    expect(await readFile(file, 'utf8')).to.equal(
      [
        csvHeader,
        csvRow({ name: 'animal 1', categoryId: '9007199254740993', status: 'sold', id: 1 }),
        csvRow({ name: 'animal 2', categoryId: '9007199254740993', id: 2 }),
        '',
      ].join('\r\n'),
    );
    expect(await readFile(join(folder, 'earlier'), 'utf8')).to.equal(earlier);
    expect(await readdir(folder)).to.have.members(['animals.csv', 'earlier']);
  });

  it('removes what killed exports left in its folder more than a day ago', async () => {
    const { environment } = await newCatalogue(animals(1));
    const folder = await makeFolder();
    const [old, fresh] = ['a', 'b'].map((name) => `${name}.csv.animal-store-${randomUUID()}.partial`);
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [old ?? '', fresh ?? '', 'notes.partial']) {
      await writeFile(join(folder, name), '');
      if (name !== fresh) await utimes(join(folder, name), twoDaysAgo, twoDaysAgo);
    }
    expect((await runInProcess(['export', join(folder, 'new.csv')], environment)).code).to.equal(0);
    expect(await readdir(folder)).to.have.members(['new.csv', fresh, 'notes.partial']);
  });

  it('leaves the earlier file and nothing else when it fails', async () => {
    const { environment, file: database } = await newCatalogue(animals(300));
    const { writePool, close } = openSqlite(database);
    await writePool('pets').where({ id: 150 }).update({ name: 'a\0b' });
    await close();
    const file = await newFile('animals.ndjson', earlier);
    const mistyped = join(dirname(file), 'mistyped.sqlite3');
    for (const [settings, reason] of [
      [environment, 'the database .*: the row with id 150 in table pets is invalid; correct or delete it'],
      [{ DATABASE_URL: `sqlite:${mistyped}` }, `there is no animal store in sqlite:${mistyped}; set .*`],
    ] as const) {
      const { code, stderr } = await runInProcess(['export', file, '--replace'], settings);
      expect(stderr).to.match(new RegExp(`^error: ${reason}; ${file} is unchanged\n$`));
      expect(code).to.equal(1);
      expect(await readFile(file, 'utf8')).to.equal(earlier);
      expect(await readdir(dirname(file))).to.deep.equal([basename(file)]);
    }
  });

  it('ends when its reader goes away, and fails on a full disk', async () => {
    const { environment } = await newCatalogue(animals(5_000));
    const script = '{ $STORE export --format ndjson; echo "code $?" >&2; } | head -n 1';
    const { stdout, stderr } = await runScript(script, environment);
    expect(stdout).to.equal(ndjsonOf(1));
    expect(stderr).to.match(
      /^the reading program closed the pipe: the output is incomplete \([\d,]+ animals\)\ncode 141\n$/,
    );

    const full = await runScript('$STORE export --format ndjson > /dev/full', environment);
    expect(full.code).to.equal(1);
    expect(full.stderr).to.match(
      /^error: no space left on device; the output is incomplete \([\d,]+ animals\)\n$/,
    );
  });

  it('fails when the disk takes only a part of the last write', async () => {
    const { environment } = await newCatalogue(
      Array.from({ length: 50 }, () => oneNamed('x'.repeat(1_000))).flat(),
    );
    const folder = await makeFolder();
    // `ulimit` limits files to 80 blocks of 512 bytes. Further output is cut off, as on a full disk.
    const script = 'ulimit -f 80; $STORE export --format ndjson > animals.ndjson';
    const { code, stderr } = await runScript(script, environment, folder);
    expect(stderr).to.match(/^error: file too large; the output is incomplete \(50 animals\)\n$/);
    expect(code).to.equal(1);
  });

  it('refuses to replace a SQLite database, also through a link, or a folder', async () => {
    const [own, other] = [await newCatalogue(animals(2)), await newCatalogue(animals(1))];
    const folder = await makeFolder();
    const [subfolder, linkPath] = [join(folder, 'folder.csv'), join(folder, 'link.csv')];
    await mkdir(subfolder);
    await symlink(own.file, linkPath);
    for (const [path, named, reason] of [
      [own.file, own.file, 'is the database itself; name another file'],
      [other.file, other.file, 'is a SQLite database; name another file'],
      [subfolder, subfolder, 'is not a regular file; name another file'],
      [linkPath, own.file, 'is the database itself; name another file'],
    ] as const)
      expect(await runInProcess(['export', '--format=csv', '--replace', path], own.environment)).to.include({
        code: 1,
        stderr: `error: ${named} ${reason}; ${path} is unchanged\n`,
      });
    expect(await namesIn(own.file)).to.deep.equal(['animal 1', 'animal 2']);
    expect(await namesIn(other.file)).to.deep.equal(['animal 1']);
    expect((await readdir(folder)).sort()).to.deep.equal(['folder.csv', 'link.csv']);
  });
});
