import { expect } from 'chai';
import * as TE from 'fp-ts/TaskEither';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  main,
  needsReadableBuild,
  runUnprivileged,
  unprivilegedUser,
} from '../../../support/processes/command';
import { columnOf } from '../../../support/databases/sqlite-files';
import { runInProcess } from '../../../support/processes/run-in-process';
import { makeFolder, newDatabaseFile, removeFolders } from '../../../support/temporary-folder';
import { newLargeCatalogue } from '../../transfer/support';
import { prepareStart } from '../../../../app/store/checks/start';
import { runStart } from '../../../../app/store/stages';
import { decodeSettings } from '../../../../app/settings/settings';
import { success } from '../../../contracts/outcome';
import { checksOf, doctor, withDatabase } from './support';

describe('animal-store doctor on a SQLite file', () => {
  afterEach(removeFolders);

  it('creates no file, but requires its folder', async () => {
    const file = await newDatabaseFile();
    expect((await doctor({ DATABASE_URL: `sqlite:${file}` })).failed).to.deep.equal([]);
    expect(existsSync(file)).to.equal(false);
    const nowhere = `sqlite:${join(file, 'nowhere', 'animals.sqlite3')}`;
    expect(checksOf((await doctor({ DATABASE_URL: nowhere })).failed)).to.deep.equal(['file']);
  });

  it('warns of a disk with little space, as a start does', async () => {
    const file = await newDatabaseFile();
    const settings = await success(TE.fromEither(decodeSettings({ DATABASE_URL: `sqlite:${file}` })));
    await withDatabase(file, async (database) => {
      const sizes = async () => ({ ...(await database.sizes()), diskAvailable: 10e6 });
      const messages: Array<string> = [];
      const printMessage = (text: string) => messages.push(text);
      const start = prepareStart(settings, 'serve', { mayCreate: true, printMessage });
      await runStart({ ...start, open: () => Promise.resolve({ ...database, sizes }) }, printMessage);
      await start.close();
      expect(messages.join()).to.include('only 10 MB are free on the disk of the database');
    });
  });

  it('warns of a second name of the file, under which another log would take animals', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, () => Promise.resolve());
    const warnings = async () =>
      (await doctor({ DATABASE_URL: `sqlite:${file}` })).results.filter(({ isWarning }) => isWarning);
    expect(JSON.stringify(await warnings())).not.to.include('hard links');
    linkSync(file, `${file}-too`);
    expect(JSON.stringify(await warnings())).to.include('one of 2 names (hard links)');
  });

  it('names the owner of a file that this user may not write, and serve does not start on it', async function () {
    await needsReadableBuild(this);
    const folder = await makeFolder();
    const file = join(folder, 'animals.sqlite3');
    await withDatabase(file, () => Promise.resolve());
    chmodSync(folder, 0o777);
    chmodSync(file, 0o644);
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}`, API_KEYS: 'a-key' };
    for (const command of ['doctor', 'serve']) {
      const { code, stdout, stderr } = await runUnprivileged([process.execPath, main, command], environment);
      expect(`${stdout}${stderr}`).to.match(
        /let this user read and write \S+animals.sqlite3, which belongs to \w/,
      );
      expect(code, command).to.equal(1);
    }
  });

  it('names a log that can be neither opened nor looked at, as one that is deleted between the two', async () => {
    const file = await newDatabaseFile();
    writeFileSync(file, '');
    symlinkSync(`${file}-wal`, `${file}-wal`);
    const { results } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(results.find(({ check }) => check === 'file')?.text).to.include(
      `let this user read and write ${file}-wal, which belongs to nobody any more`,
    );
  });

  it('warns of a file or a folder of another user, on which serve may start', async function () {
    if (process.getuid?.() !== 0) this.skip();
    const file = await newDatabaseFile();
    await withDatabase(file, () => Promise.resolve());
    const environment = { DATABASE_URL: `sqlite:${file}` };
    expect((await doctor(environment)).results.find(({ check }) => check === 'user')?.text).to.equal(
      'this command runs as root',
    );
    for (const path of [file, dirname(file)]) {
      chownSync(path, 12_345, 12_345);
      const { results, failed } = await doctor(environment);
      expect(failed).to.deep.equal([]);
      expect(results.find(({ check }) => check === 'user')).to.deep.include({
        isWarning: true,
        text: `this command runs as root, but ${path} belongs to the user 12345; run it as the user of the service, who must be able to write both`,
      });
      chownSync(path, 0, 0);
    }
  });

  it('passes in a folder of another user that a group may write, where serve starts', async function () {
    await needsReadableBuild(this);
    const folder = await makeFolder();
    const file = join(folder, 'animals.sqlite3');
    await withDatabase(file, () => Promise.resolve());
    for (const path of [folder, file]) chmodSync(path, 0o777);
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}`, API_KEYS: 'a-key' };
    const { code, stdout } = await runUnprivileged([process.execPath, main, 'doctor'], environment);
    expect(stdout).to.match(/WARN +user +.*belongs to root/);
    expect(code, stdout).to.equal(0);
    if (process.getuid?.() !== 0) return;
    chownSync(file, unprivilegedUser, unprivilegedUser);
    const own = await runUnprivileged([process.execPath, main, 'doctor'], environment);
    expect(own.stdout).to.match(/ok +user/);
  });

  it('reports an index that does not match its table', async () => {
    const file = await newDatabaseFile();
    const root: { page: number } = { page: 0 };
    await withDatabase(file, async ({ writePool }) => {
      await writePool('pets').insert({ name: 'Rex', category_id: 7, status: 'sold' });
      const found = await writePool('sqlite_master')
        .where({ name: 'pets_by_status' })
        .first<{ readonly rootpage: number }>('rootpage');
      root.page = found.rootpage;
    });
    const bytes = readFileSync(file);
    bytes.write('solo', bytes.indexOf('sold', (root.page - 1) * 4_096));
    writeFileSync(file, bytes);
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${file}` };
    const { code, stdout } = await runInProcess(['doctor'], environment);
    expect(code).to.equal(1);
    expect(stdout).to.match(/missing from index pets_by_status/);
  });

  it('reports a database that cannot be written', async () => {
    const file = await newDatabaseFile();
    await withDatabase(file, async ({ writePool }) => {
      const transaction = await writePool.transaction();
      await transaction('heartbeats').insert({ id: 7, beaten_at: 0 });
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
      await transaction.rollback();
      expect(checksOf(failed)).to.deep.equal(['rights']);
      expect(failed[0]?.text).to.contain('database is locked');
    });
  });

  it('reports a path at which it can open or create no database', async () => {
    const folder = await makeFolder();
    writeFileSync(join(folder, 'text'), 'no database, but longer than the head of one, '.repeat(40));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    for (const [file, reason, check = 'file'] of [
      ['text', 'file is not a database', 'connection'],
      ['.', "can't be used: it is a folder; name a file in it"],
      ['pipe', "can't be used: it is not a regular file; name another file"],
      ['text/animals.sqlite3', `can't be used: ${folder}/text is a file; name a file in a folder`],
      ['none/animals.sqlite3', `can't be used: create the folder ${folder}/none`],
    ] as const) {
      const { failed } = await doctor({ DATABASE_URL: `sqlite:${join(folder, file)}` });
      expect(checksOf(failed), file).to.deep.equal([check]);
      expect(failed[0]?.text).to.include(join(folder, file)).and.include(reason);
    }
  });

  it('reports damaged pages with advice', async () => {
    const { file } = await newLargeCatalogue(20_000);
    const bytes = readFileSync(file);
    bytes.fill(0xff, 20 * 4_096, 40 * 4_096);
    writeFileSync(file, bytes);
    const { failed } = await doctor({ DATABASE_URL: `sqlite:${file}` });
    expect(checksOf(failed)).to.deep.equal(['connection']);
    expect(failed[0]?.text).to.match(/SQLITE_CORRUPT: .*; restore a backup$/);
    expect(readdirSync(dirname(file)), 'nothing is left beside it').to.deep.equal([basename(file)]);
  });

  it('adds no animal and no key, also to a file with the write-ahead log of a crash', async () => {
    const [live, crashed] = [await newDatabaseFile(), await newDatabaseFile()];
    await withDatabase(live, async ({ writePool }) => {
      await writePool('pets').insert({ name: 'Rex', category_id: 1 });
      for (const ending of ['', '-wal']) copyFileSync(`${live}${ending}`, `${crashed}${ending}`);
    });
    expect((await doctor({ DATABASE_URL: `sqlite:${crashed}` })).failed).to.deep.equal([]);
    expect(readdirSync(dirname(crashed))).to.deep.equal([basename(crashed)]);
    expect(await columnOf(crashed, 'idempotency_keys', 'owner_id')).to.deep.equal([]);
    expect(await columnOf(crashed, 'pets', 'name')).to.deep.equal(['Rex']);
  });
});
