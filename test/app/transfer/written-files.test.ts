import { expect } from 'chai';
import {
  chmodSync,
  chownSync,
  lchownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { newCatalogue } from '../../support/databases/catalogue';
import { main, needsReadableBuild, startProgram } from '../../support/processes/command';
import { makeFolder, removeFolders } from '../../support/temporary-folder';
import { animals, namesIn, runInProcess } from './support';

const permissionsOf = (file: string): number => statSync(file).mode & 0o777;

describe('A file that a command writes', () => {
  afterEach(removeFolders);

  it('can be read only by its owner: an export, as a backup', async () => {
    const { environment } = await newCatalogue(animals(3));
    const folder = await makeFolder();
    for (const [command, name] of [
      ['export', 'pets.csv'],
      ['backup', 'pets.sqlite3'],
    ] as const) {
      const file = join(folder, name);
      expect((await runInProcess([command, file], environment)).code).to.equal(0);
      expect(permissionsOf(file), command).to.equal(0o600);
    }
  });

  it('keeps the permissions of the export that it replaces', async () => {
    const { environment } = await newCatalogue(animals(3));
    const file = join(await makeFolder(), 'pets.csv');
    for (const mode of [0o600, 0o640, 0o666]) {
      writeFileSync(file, '');
      chmodSync(file, mode);
      expect((await runInProcess(['export', file, '--replace'], environment)).code).to.equal(0);
      expect(permissionsOf(file)).to.equal(mode);
      expect(readFileSync(file, 'utf8')).to.include('animal 1');
    }
  });

  it('keeps the owner of the file that it replaces', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const { file: database, environment } = await newCatalogue(animals(3));
    const folder = await makeFolder();
    const backup = join(folder, 'backup');
    expect((await runInProcess(['backup', backup], environment)).code).to.equal(0);
    const exported = join(folder, 'pets.csv');
    writeFileSync(exported, '');
    for (const file of [exported, database]) chownSync(file, 12_345, 12_346);
    expect((await runInProcess(['export', exported, '--replace'], environment)).code).to.equal(0);
    expect((await runInProcess(['restore', backup, '--replace'], environment)).code).to.equal(0);
    for (const file of [exported, database])
      expect(statSync(file), file).to.include({ uid: 12_345, gid: 12_346 });
  });

  it('keeps the group of the file that it replaces, or gives no other group its permissions', async function () {
    if (process.getuid?.() !== 0) this.skip();
    await needsReadableBuild(this);
    const { file: database, environment } = await newCatalogue(animals(3));
    const folder = await makeFolder();
    for (const path of [dirname(database), database, folder]) chownSync(path, 65_534, 65_534);
    const file = join(folder, 'pets.csv');
    for (const [mode, groups, expected] of [
      [0o640, '--groups=65532', { gid: 65_532, mode: 0o640 }],
      [0o640, '--clear-groups', { gid: 65_534, mode: 0o600 }],
      [0o664, '--clear-groups', { gid: 65_534, mode: 0o644 }],
    ] as const) {
      writeFileSync(file, '');
      chownSync(file, 65_534, 65_532);
      chmodSync(file, mode);
      const user = ['--reuid=65534', '--regid=65534', groups];
      const command = [...user, process.execPath, main, 'export', file, '--replace'];
      const { code, stderr } = await startProgram('setpriv', command, { environment }).ended;
      expect(code, stderr).to.equal(0);
      expect({ gid: statSync(file).gid, mode: permissionsOf(file) }).to.deep.equal(expected);
    }
  });

  it('is the file to which a symbolic link leads, also if it does not exist yet', async () => {
    const { environment } = await newCatalogue(animals(3));
    const [folder, links] = [await makeFolder(), await makeFolder()];
    symlinkSync(join(folder, 'backup'), join(links, 'second'));
    symlinkSync('second', join(links, 'first'));
    for (const options of [[], ['--replace']]) {
      const { code, stderr } = await runInProcess(['backup', join(links, 'first'), ...options], environment);
      expect(code, stderr).to.equal(0);
      for (const name of ['first', 'second'])
        expect(lstatSync(join(links, name)).isSymbolicLink(), name).to.equal(true);
      expect(readdirSync(folder)).to.deep.equal(['backup']);
      expect(await namesIn(join(folder, 'backup'))).to.have.lengthOf(3);
    }
  });

  it('is not one that the link of another user chooses', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const { environment } = await newCatalogue(animals(3));
    const folder = await makeFolder();
    const [chosen, link] = [join(folder, 'chosen'), join(folder, 'link')];
    symlinkSync(chosen, link);
    lchownSync(link, 12_345, 12_345);
    const refused = await runInProcess(['backup', link], environment);
    expect(refused.stderr).to.include(`${link} is a symbolic link of another user; name the file itself`);
    expect(readdirSync(folder)).to.deep.equal(['link']);
    writeFileSync(chosen, 'text');
    expect((await runInProcess(['backup', link, '--replace'], environment)).code).to.equal(1);
    expect(readFileSync(chosen, 'utf8')).to.equal('text');
  });

  it('is never a database in use or lost, a log of one, the database itself, or a pipe: all commands that write files', async () => {
    const programs = await makeFolder();
    for (const program of ['pg_dump', 'pg_restore'])
      writeFileSync(join(programs, program), '#!/bin/sh\necho "1; 0 2 TABLE DATA public pets a"\n', {
        mode: 0o755,
      });
    const { file: used, environment } = await newCatalogue(animals(1));
    const { file: closed } = await newCatalogue(animals(1));
    const database = openSqlite(used);
    await database.writePool('pets').insert({ name: 'in the log', category_id: 1 });
    const pipe = join(programs, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const lost = join(programs, 'lost.sqlite3');
    writeFileSync(`${lost}-wal`, 'acknowledged');
    const rows = join(programs, 'rows.csv');
    writeFileSync(rows, 'name,categoryId\nRex,1\n');
    const onPostgres = { DATABASE_URL: 'postgres://db/animals', PATH: `${programs}:/bin` };
    try {
      for (const [command, settings] of [
        [['backup', '--replace'], environment],
        [['backup', '--replace'], onPostgres],
        [['export', '--format=csv', '--replace'], environment],
        [['import', rows, '--ids'], environment],
      ] as const)
        for (const [file, reason] of [
          [used, /is the database itself|is in use or was not closed/],
          [`${used}-wal`, /is the name of a log of SQLite/],
          [`${closed}-journal`, /is the name of a log of SQLite/],
          [lost, /is missing, but its log .*-wal is there/],
          [pipe, /is not a regular file/],
          ...(settings === onPostgres ? [[closed, /is a SQLite database/] as const] : []),
        ] as const) {
          const { code, stderr } = await runInProcess([...command, file], settings);
          expect(stderr, `${command.join(' ')} ${file}`).to.match(reason);
          expect(code).to.equal(1);
        }
      expect(await database.readPool('pets').pluck('name')).to.deep.equal(['animal 1', 'in the log']);
    } finally {
      await database.close();
    }
    expect(await namesIn(closed)).to.deep.equal(['animal 1']);
    expect((await runInProcess(['import', rows, '--ids', '-'], environment)).stderr).to.include(
      'must be a file',
    );
  });

  it('needs no right to change owners, which root lacks in some containers and on NFS', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const folder = await makeFolder();
    chmodSync(folder, 0o777);
    chownSync(folder, 12_345, 12_345);
    const [database, rows] = [join(folder, 'animals.sqlite3'), join(folder, 'rows.csv')];
    const environment = { DATABASE_URL: `sqlite:${database}` };
    writeFileSync(rows, 'name,categoryId\nRex,1\n');
    chmodSync(rows, 0o666);
    const noCapabilities = ['--bounding-set=-all', '--inh-caps=-all', '--ambient-caps=-all'];
    for (const words of [
      ['migrate'],
      ['import', rows],
      ['keys', 'list'],
      ['backup', join(folder, 'backup')],
      ['export', join(folder, 'pets.csv')],
      ['copy', `sqlite:${join(folder, 'copy.sqlite3')}`],
    ]) {
      const command = [...noCapabilities, process.execPath, main, ...words];
      const { code, stderr } = await startProgram('setpriv', command, { environment }).ended;
      expect(code, stderr).to.equal(0);
    }
    expect(await namesIn(join(folder, 'backup'))).to.deep.equal(['Rex']);
  });
});
