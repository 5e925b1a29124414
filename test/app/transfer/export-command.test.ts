import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { chmod, chown, link, mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { CategoryId, decodeOrThrow, type NewPet, PetName } from '../../../core';
import { type Catalogue, newCatalogue } from '../../support/databases/catalogue';
import {
  killPrograms,
  main,
  needsReadableBuild,
  runUnprivileged,
  unprivilegedUser,
} from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { animals, namesIn, newFile, runInProcess, runScript } from './support';

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

  it('replaces a file when the export is complete', async () => {
    const catalogue = await newCatalogue(animals(2));
    const folder = await makeFolder();
    const file = join(folder, 'animals.csv');
    await writeFile(file, 'what was there');
    await link(file, join(folder, 'earlier'));
    expect(await runInProcess(['export', file], catalogue.environment)).to.include({
      code: 0,
      stdout: '',
      stderr: '2 animals were exported\n',
    });
    expect(await readFile(file, 'utf8')).to.equal(
      'name,categoryId,status,id\r\nanimal 1,9007199254740993,sold,1\r\nanimal 2,9007199254740993,,2\r\n',
    );
    expect(await readFile(join(folder, 'earlier'), 'utf8')).to.equal('what was there');
    expect(await readdir(folder)).to.have.members(['animals.csv', 'earlier']);
  });

  it('removes what killed exports left in its folder more than a day ago', async () => {
    const { environment } = await newCatalogue(animals(1));
    const folder = await makeFolder();
    const [old, fresh] = [0, 1].map((n) => `other.csv.animal-store-${randomUUID().slice(0, -1)}${n}.partial`);
    const names = [old ?? '', fresh ?? '', 'notes.partial'];
    for (const name of names) await writeFile(join(folder, name), '');
    const twoDaysAgo = new Date(Date.now() - 2 * 86_400_000);
    for (const name of [old ?? '', 'notes.partial']) await utimes(join(folder, name), twoDaysAgo, twoDaysAgo);
    expect((await runInProcess(['export', join(folder, 'new.csv')], environment)).code).to.equal(0);
    expect(await readdir(folder)).to.have.members(['new.csv', fresh, 'notes.partial']);
  });

  it('writes into a folder that its user may not read', async function () {
    await needsReadableBuild(this);
    const { file } = await newCatalogue(animals(1));
    const folder = await makeFolder();
    if (process.getuid?.() === 0) {
      for (const path of [dirname(file), file, folder]) await chown(path, unprivilegedUser, unprivilegedUser);
    }
    await chmod(folder, 0o300);
    const target = join(folder, 'animals.csv');
    const { code, stderr } = await runUnprivileged([process.execPath, main, 'export', target], {
      DATABASE_URL: `sqlite:${file}`,
    });
    expect(code, stderr).to.equal(0);
    await chmod(folder, 0o700);
    expect(await readdir(folder)).to.deep.equal(['animals.csv']);
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
    const name = decodeOrThrow(PetName, 'x'.repeat(1_000));
    const { environment } = await newCatalogue(Array.from({ length: 50 }, () => ({ name, categoryId })));
    const folder = await makeFolder();
    // `ulimit` limits files to 80 blocks of 512 bytes. Further output is cut off, as on a full disk.
    const script = 'ulimit -f 80; $STORE export --format ndjson > animals.ndjson';
    const { code, stderr } = await runScript(script, environment, folder);
    expect(stderr).to.match(/^the export failed: EFBIG: .*; the output is incomplete \(50 animals\)\n$/);
    expect(code).to.equal(1);
  });

  it('refuses to replace a SQLite database, its own or that of another service', async () => {
    const [own, other] = [await newCatalogue(animals(2)), await newCatalogue(animals(1))];
    for (const { file } of [own, other]) {
      const { code, stderr } = await runInProcess(['export', '--format=csv', file], own.environment);
      expect(stderr).to.equal(
        `the export failed: ${file} is a SQLite database; name another file; ${file} is unchanged\n`,
      );
      expect(code).to.equal(1);
    }
    expect(await namesIn(own.file)).to.deep.equal(['animal 1', 'animal 2']);
    expect(await namesIn(other.file)).to.deep.equal(['animal 1']);
  });

  it('refuses to replace a folder or a link', async () => {
    const { environment, file } = await newCatalogue();
    const folder = await makeFolder();
    await mkdir(join(folder, 'folder.csv'));
    await symlink(file, join(folder, 'link.csv'));
    for (const name of ['folder.csv', 'link.csv']) {
      const { code, stderr } = await runInProcess(['export', join(folder, name)], environment);
      expect(code).to.equal(1);
      expect(stderr).to.include(
        `${join(folder, name)} is not a regular file; name another file, or - for standard output`,
      );
    }
    expect((await readdir(folder)).sort()).to.deep.equal(['folder.csv', 'link.csv']);
  });

  it('puts a quote before a name that a spreadsheet would run as a formula, if asked to', async () => {
    const { environment } = await newCatalogue([
      { name: decodeOrThrow(PetName, '=1+1'), categoryId: decodeOrThrow(CategoryId, -1n) },
    ]);
    const command = ['export', '--format=csv'];
    expect((await runInProcess(command, environment)).stdout).to.include('\r\n=1+1,-1,,1\r\n');
    const escaped = await runInProcess([...command, '--escape-formulas'], environment);
    expect(escaped.stdout).to.include("\r\n'=1+1,-1,,1\r\n");
  });
});
