import { expect } from 'chai';
import { chmodSync, closeSync, existsSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openSqlite } from '../../../adapters/knex';
import { newCatalogue } from '../../support/databases/catalogue';
import {
  killPrograms,
  main,
  needsReadableBuild,
  runUnprivileged,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { animals, namesIn, newBackup, newBackupFile, newFile, runInProcess } from './support';

describe('animal-store backup', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('takes no `-` for standard input or output', async () => {
    const { environment } = await newCatalogue(animals(3));
    for (const command of ['backup', 'restore']) {
      const { code, stderr } = await runInProcess([command, '-'], environment);
      expect(code).to.equal(2);
      expect(stderr).to.include('standard input and output do not work');
    }
  });

  it('writes to a folder that its user may not read', async function () {
    await needsReadableBuild(this);
    const { file } = await newCatalogue(animals(3));
    const folder = await makeFolder();
    for (const [path, mode] of [
      [dirname(file), 0o777],
      [file, 0o666],
      [folder, 0o333],
    ] as const)
      chmodSync(path, mode);
    const backup = join(folder, 'backup.sqlite3');
    const { code, stderr } = withoutDatabaseLine(
      await runUnprivileged([process.execPath, main, 'backup', backup], { DATABASE_URL: `sqlite:${file}` }),
    );
    chmodSync(folder, 0o777);
    expect({ code, stderr }).to.deep.equal({
      code: 0,
      stderr: `backed up to ${backup} and checked: 3 animals\n`,
    });
    expect(await namesIn(backup)).to.have.lengthOf(3);
  });

  it('leaves an earlier backup and nothing else if a page is damaged', async () => {
    const { environment, file } = await newCatalogue(animals(2_000));
    const backup = await newBackup();
    const earlier = readFileSync(backup);
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(4_096, 0xff), 0, 4_096, 20 * 4_096);
    closeSync(handle);
    const { code, stderr } = await runInProcess(['backup', backup, '--replace'], environment);
    expect(code).to.equal(1);
    expect(stderr).to.match(
      /^error: \S+ or its copy is damaged: .*; restore an undamaged backup; .* is unchanged\n$/,
    );
    expect(readFileSync(backup)).to.deep.equal(earlier);
    expect(readdirSync(dirname(backup))).to.deep.equal(['backup.sqlite3']);
  });

  it('replaces an existing file only with --replace, and never a database that is in use', async () => {
    const { environment } = await newCatalogue(animals(3));
    const backUp = (file: string, ...options: ReadonlyArray<string>) =>
      runInProcess(['backup', file, ...options], environment);
    for (const file of [await newFile('text', 'a text'), (await newCatalogue(animals(1))).file]) {
      const before = readFileSync(file);
      expect((await backUp(file)).stderr).to.equal(
        `error: ${file} exists; name another file, or replace it with --replace; ${file} is unchanged\n`,
      );
      expect(readFileSync(file)).to.deep.equal(before);
      expect((await backUp(file, '--replace')).code).to.equal(0);
      expect(await namesIn(file)).to.have.lengthOf(3);
    }
    const live = await newCatalogue(animals(1));
    const store = openSqlite(live.file);
    await store.writePool('pets').insert({ name: 'in the log', category_id: 1 });
    expect((await backUp(live.file, '--replace')).stderr).to.include(
      'is a database that is in use or was not closed',
    );
    expect(await store.readPool('pets').pluck('name')).to.deep.equal(['animal 1', 'in the log']);
    await store.close();
  });

  it('refuses to replace the database itself, and to back up a missing store', async () => {
    const { environment, file } = await newCatalogue(animals(1));
    expect((await runInProcess(['backup', file], environment)).stderr).to.include('is the database itself');
    const missing = await newDatabaseFile();
    const { code, stderr } = await runInProcess(['backup', await newBackupFile()], {
      DATABASE_URL: `sqlite:${missing}`,
    });
    expect({ code, isMade: existsSync(missing) }).to.deep.equal({ code: 1, isMade: false });
    expect(stderr).to.include(`there is no animal store in sqlite:${missing}`);
  });
});
