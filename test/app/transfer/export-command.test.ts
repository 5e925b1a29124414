import { expect } from 'chai';
import {
  chmod,
  chown,
  link,
  lstat,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { CategoryId, decodeOrThrow, type NewPet, PetName } from '../../../core';
import { type Catalogue, environmentOf, newCatalogue } from '../../support/databases/catalogue';
import { eventually } from '../../support/eventually';
import { killPrograms, startCommand, withoutDatabaseLine } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { animals, namesIn, newFile, newLargeCatalogue, runInProcess, runScript } from './support';

const ndjsonOf = (newPets: ReadonlyArray<NewPet>, wanted: (newPet: NewPet) => boolean): string =>
  newPets
    .map((newPet, index) => ({ newPet, id: index + 1 }))
    .filter(({ newPet }) => wanted(newPet))
    .map(({ newPet: { name, status }, id }) => {
      const rest = status === undefined ? '' : `,"status":"${status}"`;
      return `{"id":${id},"name":"${name}","categoryId":9007199254740993${rest}}\n`;
    })
    .join('');

/** Makes a database whose animal 150 cannot be read. */
const newBrokenCatalogue = async (): Promise<Catalogue> => {
  const catalogue = await newCatalogue(animals(300));
  const { writes, close } = openSqlite(catalogue.file);
  await writes('pets').where({ id: 150 }).update({ name: 'a\0b' });
  await close();
  return catalogue;
};

describe('The command export', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('writes all animals by ascending id, or those of one status', async () => {
    const newPets = animals(250);
    const { environment } = await newCatalogue(newPets);
    expect(await runInProcess(['export', '--format', 'ndjson'], environment)).to.include({
      code: 0,
      stdout: ndjsonOf(newPets, () => true),
      stderr: '250 animals were exported\n',
    });
    const sold = await runInProcess(['export', '-', '--format=ndjson', '--status=sold'], environment);
    expect(sold.stdout).to.equal(ndjsonOf(newPets, ({ status }) => status === 'sold'));
    expect(await runInProcess(['export', '--format=csv', '--status=pending'], environment)).to.include({
      stdout: 'name,categoryId,status,id\r\n',
      stderr: '0 animals were exported\n',
    });
    expect((await runInProcess(['export', '--format=csv', '--status=gone'], environment)).code).to.equal(2);
  });

  it('replaces a file when the export is complete, also through a link', async () => {
    const catalogue = await newCatalogue(animals(2));
    const folder = await makeFolder();
    const file = join(folder, 'animals.csv');
    await writeFile(file, 'what was there');
    await link(file, join(folder, 'earlier'));
    await symlink(file, join(folder, 'link.csv'));
    expect(await runInProcess(['export', join(folder, 'link.csv')], catalogue.environment)).to.include({
      code: 0,
      stdout: '',
      stderr: '2 animals were exported\n',
    });
    expect(await readFile(file, 'utf8')).to.equal(
      'name,categoryId,status,id\r\nanimal 1,9007199254740993,sold,1\r\nanimal 2,9007199254740993,,2\r\n',
    );
    expect(await readFile(join(folder, 'earlier'), 'utf8')).to.equal('what was there');
    expect(await readdir(folder)).to.have.members(['animals.csv', 'earlier', 'link.csv']);
  });

  it('leaves the earlier file and nothing else when it fails in the middle', async () => {
    const { environment } = await newBrokenCatalogue();
    const file = await newFile('animals.ndjson', 'what was there');
    expect(await runInProcess(['export', file], environment)).to.include({
      code: 1,
      stderr: `the export failed: the row with id 150 in table pets is invalid; correct or delete it; ${file} is unchanged\n`,
    });
    expect(await readFile(file, 'utf8')).to.equal('what was there');
    expect(await readdir(dirname(file))).to.deep.equal([basename(file)]);
  });

  it('leaves an earlier export and creates no database if there is none', async () => {
    const folder = await makeFolder();
    const [file, database] = [join(folder, 'animals.csv'), join(folder, 'mistyped.sqlite3')];
    await writeFile(file, 'what was there');
    expect(await runInProcess(['export', file], { DATABASE_URL: `sqlite:${database}` })).to.include({
      code: 1,
      stderr: `the export failed: there is no animal store in sqlite:${database}; set DATABASE_URL to the right database, or create one with \`animal-store migrate\`; ${file} is unchanged\n`,
    });
    expect(await readFile(file, 'utf8')).to.equal('what was there');
    expect(await readdir(folder)).to.deep.equal(['animals.csv']);
  });

  it('leaves no file when it is interrupted', async () => {
    const { environment } = await newLargeCatalogue(50_000);
    const folder = await makeFolder();
    const file = join(folder, 'animals.csv');
    const running = startCommand(['export', file], environment);
    await eventually('the export has begun', 20_000, async () => (await readdir(folder)).length > 0);
    running.signal('SIGTERM');
    const { code, stderr } = withoutDatabaseLine(await running.ended);
    expect({ code, stderr }).to.deep.equal({
      code: 143,
      stderr: `interrupted by SIGTERM: ${file} was not written\n`,
    });
    expect(await readdir(folder)).to.deep.equal([]);
  });

  it('ends when its reader goes away, and fails on a full disk', async () => {
    const { environment } = await newCatalogue(animals(5_000));
    const script = '{ $STORE export --format ndjson; echo "code $?" >&2; } | head -n 1';
    const { stdout, stderr } = await runScript(script, environment);
    expect(stdout).to.equal(ndjsonOf(animals(1), () => true));
    expect(stderr).to.match(
      /^the reading program closed the pipe: the output is incomplete \(\d+ animals\)\ncode 141\n$/,
    );

    const full = await runScript('$STORE export --format ndjson > /dev/full', environment);
    expect(full.code).to.equal(1);
    expect(full.stderr).to.match(
      /^the export failed: ENOSPC: .*; the output is incomplete \(100 animals\)\n$/,
    );
  });

  it('fails when the disk takes only a part of the last write', async () => {
    const categoryId = decodeOrThrow(CategoryId, 1n);
    const { environment } = await newCatalogue([
      { name: decodeOrThrow(PetName, 'x'.repeat(50_000)), categoryId },
    ]);
    const folder = await makeFolder();
    // `ulimit` limits files to 80 blocks of 512 bytes. Further output is cut off, as on a full disk.
    const script = 'ulimit -f 80; $STORE export --format ndjson > animals.ndjson';
    const { code, stderr } = await runScript(script, environment, folder);
    expect(stderr).to.match(/^the export failed: EFBIG: .*; the output is incomplete \(1 animal\)\n$/);
    expect(code).to.equal(1);
  });

  it('keeps the mode and the owner of the file that it replaces', async () => {
    const { environment } = await newCatalogue(animals(1));
    const isRoot = process.getuid?.() === 0;
    for (const mode of [0o600, 0o666]) {
      const file = await newFile('animals.csv', 'what was there');
      await chmod(file, mode);
      if (isRoot) await chown(file, 65534, 65533);
      const { uid, gid } = await stat(file);
      expect((await runInProcess(['export', file], environment)).code).to.equal(0);
      const after = await stat(file);
      expect([after.mode & 0o777, after.uid, after.gid]).to.deep.equal([mode, uid, gid]);
    }
  });

  it('creates the file that a link names, and keeps the link', async () => {
    const { environment } = await newCatalogue(animals(1));
    const folder = await makeFolder();
    await mkdir(join(folder, 'data'));
    await symlink('data/animals.csv', join(folder, 'link.csv'));
    expect((await runInProcess(['export', join(folder, 'link.csv')], environment)).code).to.equal(0);
    expect(await readdir(join(folder, 'data'))).to.deep.equal(['animals.csv']);
    expect((await lstat(join(folder, 'link.csv'))).isSymbolicLink()).to.equal(true);
  });

  it('refuses to replace its own database, whatever name it is given', async () => {
    const { file } = await newCatalogue(animals(2));
    const folder = await makeFolder();
    await symlink(file, join(folder, 'link.csv'));
    await link(file, join(folder, 'second-name.csv'));
    await symlink(dirname(file), join(folder, 'same-folder'));
    for (const name of [
      file,
      join(folder, 'link.csv'),
      join(folder, 'second-name.csv'),
      join(folder, 'same-folder', basename(file)),
      `${file}-wal`,
      join(folder, 'same-folder', `${basename(file)}-journal`),
    ]) {
      for (const database of [file, join(folder, 'link.csv')]) {
        const { code, stderr } = await runInProcess(
          ['export', '--format', 'csv', name],
          environmentOf(database),
        );
        const outcome = /-(wal|journal)$/.test(name) ? 'was not written' : 'is unchanged';
        expect(stderr).to.equal(
          `the export failed: ${name} is the database itself; name another file; ${name} ${outcome}\n`,
        );
        expect(code).to.equal(1);
      }
    }
    expect(await namesIn(file)).to.deep.equal(['animal 1', 'animal 2']);
  });

  it('refuses to replace the database of another service', async () => {
    const [{ environment }, { file }] = [await newCatalogue(), await newCatalogue(animals(1))];
    const { code, stderr } = await runInProcess(['export', '--format=csv', file], environment);
    expect(stderr).to.equal(
      `the export failed: ${file} is a SQLite database; name another file; ${file} is unchanged\n`,
    );
    expect(code).to.equal(1);
    expect(await namesIn(file)).to.deep.equal(['animal 1']);
  });

  it('refuses to replace a folder', async () => {
    const { environment } = await newCatalogue();
    const folder = join(await makeFolder(), 'animals.csv');
    await mkdir(folder);
    const { code, stderr } = await runInProcess(['export', folder], environment);
    expect(code).to.equal(1);
    expect(stderr).to.include(`${folder} is not a regular file; write to standard output instead`);
    expect(await readdir(folder)).to.deep.equal([]);
  });
});
