import { expect } from 'chai';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import knex from 'knex';
import { migrate, openSqlite } from '../../../adapters/knex';
import { success } from '../../contracts/outcome';
import { newCatalogue } from '../../support/databases/catalogue';
import {
  killPrograms,
  main,
  needsReadableBuild,
  runUnprivileged,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { integrityOf } from '../../support/databases/sqlite-files';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { animals, makePipe, namesIn, newFile, runInProcess, runScript } from './support';

const newBackupFile = async (): Promise<string> => join(await makeFolder(), 'backup.sqlite3');

/** Makes a backup of a database with three animals. */
const newBackup = async (): Promise<string> => {
  const { environment } = await newCatalogue(animals(3));
  const backup = await newBackupFile();
  expect((await runInProcess(['backup', backup], environment)).code).to.equal(0);
  return backup;
};

const restoreTo = (file: string, backup: string, ...options: ReadonlyArray<string>) =>
  runInProcess(['restore', backup, ...options], { DATABASE_URL: `sqlite:${file}` });

describe('animal-store backup', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  it('writes to standard output and leaves no other file', async () => {
    const { environment, file } = await newCatalogue(animals(3));
    const files = readdirSync(dirname(file));
    const backup = await newBackupFile();
    const { code, stderr } = await runScript(`$STORE backup - > ${backup}`, environment);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: 'backed up and checked: 3 animals\n' });
    expect(await namesIn(backup)).to.have.lengthOf(3);
    expect(readdirSync(dirname(file))).to.have.members(files);
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
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: 'backed up and checked: 3 animals\n' });
    expect(await namesIn(backup)).to.have.lengthOf(3);
  });

  it('writes nothing to standard output, and says why, if its user may not write next to the database', async function () {
    await needsReadableBuild(this);
    const { file } = await newCatalogue(animals(3));
    chmodSync(file, 0o444);
    chmodSync(dirname(file), 0o555);
    const { code, stdout, stderr } = withoutDatabaseLine(
      await runUnprivileged([process.execPath, main, 'backup', '-'], { DATABASE_URL: `sqlite:${file}` }),
    );
    chmodSync(dirname(file), 0o777);
    expect({ code, stdout, stderr }).to.deep.equal({
      code: 1,
      stdout: '',
      stderr: `the backup failed: a copy next to the database can't be made: let this user write in the folder ${dirname(file)}; nothing was written\n`,
    });
  });

  it('leaves an earlier backup and nothing else when it fails', async () => {
    const { environment, file } = await newCatalogue(animals(2_000));
    const backup = await newBackup();
    const earlier = readFileSync(backup);
    truncateSync(file, 3 * 4_096);
    const { code, stderr } = await runInProcess(['backup', backup], environment);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^the backup failed: .*(malformed|damaged).*; .* is unchanged\n$/);
    expect(readFileSync(backup)).to.deep.equal(earlier);
    expect(readdirSync(dirname(backup))).to.deep.equal(['backup.sqlite3']);
  });

  it('says how to find the damage of a page', async () => {
    const { environment, file } = await newCatalogue(animals(2_000));
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(4_096, 0xff), 0, 4_096, 20 * 4_096);
    closeSync(handle);
    const { code, stderr } = await runInProcess(['backup', await newBackupFile()], environment);
    expect(code).to.equal(1);
    expect(stderr).to.match(/the database or its copy is damaged: .*; run `animal-store doctor --full`/);
  });

  it('replaces an earlier backup, but a live store or a file that is no backup only with --replace', async () => {
    const { environment } = await newCatalogue(animals(3));
    const backUp = (file: string, ...options: ReadonlyArray<string>) =>
      runInProcess(['backup', file, ...options], environment);
    for (const file of [await newBackup(), await newFile('empty', '')])
      expect((await backUp(file)).code).to.equal(0);

    const live = await newCatalogue(animals(1));
    const store = openSqlite(live.file);
    await store.writes('pets').insert({ name: 'in the log', category_id: 1 });
    const text = await newFile('text', 'a text of another kind');
    const host = join(await makeFolder(), 'host.sqlite3');
    const other = knex({ client: 'sqlite3', connection: { filename: host }, useNullAsDefault: true });
    await other.schema.createTable('others', (table) => table.integer('id'));
    await other.destroy();
    for (const [file, words] of [
      [live.file, 'is a database that is in use or was not closed'],
      [(await newCatalogue()).file, 'is not a backup of an animal store'],
      [text, 'is not a backup of an animal store'],
      [host, 'is not a backup of an animal store'],
    ] as const) {
      const before = readFileSync(file);
      const { code, stderr } = await backUp(file);
      expect(stderr).to.include(`the backup failed: ${file} ${words}; --replace overwrites it`);
      expect(code).to.equal(1);
      expect(readFileSync(file)).to.deep.equal(before);
    }
    expect(await store.reads('pets').pluck('name')).to.deep.equal(['animal 1', 'in the log']);
    await store.close();
    expect((await backUp(text, '--replace')).code).to.equal(0);
    expect(await namesIn(text)).to.have.lengthOf(3);
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
    const inNoFolder = { DATABASE_URL: `sqlite:${missing}/in-no-folder` };
    for (const target of [await newBackupFile(), '-']) {
      expect((await runInProcess(['backup', target], inNoFolder)).stderr).to.include(
        'there is no animal store',
      );
    }
  });

  it('names the tools of PostgreSQL, without the password', async () => {
    const environment = { DATABASE_URL: 'postgres://keeper:s3cretWord@db/animals' };
    for (const [command, advice] of [
      ['backup', "run `pg_dump --format=custom --file=FILE 'postgres://keeper@db/animals'`; file was"],
      [
        'restore',
        "stop the service and run `pg_restore --clean --if-exists --single-transaction --dbname='postgres://keeper@db/animals' FILE`; the database is",
      ],
    ] as const) {
      const { code, stderr } = await runInProcess([command, 'file'], environment);
      expect(code).to.equal(1);
      expect(stderr)
        .to.include(`\`${command}\` works only with SQLite; for PostgreSQL, ${advice}`)
        .and.not.include('s3cretWord');
    }
    const { stderr } = await runInProcess(['backup', 'file'], { DATABASE_URL: 'memory:' });
    expect(stderr).to.equal(
      'the backup failed: this command needs a database, but DATABASE_URL is `memory:`; set it to sqlite:FILE; file was not written\n',
    );
  });
});

describe('animal-store restore', () => {
  afterEach(removeFolders);

  it('replaces a store without animals, and one with animals only with --replace and if it is closed', async () => {
    const backup = await newBackup();
    const { file: empty } = await newCatalogue([]);
    expect((await restoreTo(empty, backup)).code).to.equal(0);
    expect(await namesIn(empty)).to.have.lengthOf(3);

    const { file } = await newCatalogue(animals(1));
    const database = openSqlite(file);
    await database.reads('pets').first('id');
    const inUse = await restoreTo(file, backup, '--replace');
    expect(inUse.code).to.equal(1);
    expect(inUse.stderr).to.include('is in use; stop the service');
    await database.close();

    const withAnimals = await restoreTo(file, backup);
    expect(withAnimals.code).to.equal(1);
    expect(withAnimals.stderr).to.include('there are animals').and.include('--replace');
    expect(await namesIn(file)).to.have.lengthOf(1);
    expect(readdirSync(dirname(file))).to.deep.equal(['animals.sqlite3']);

    expect(await restoreTo(file, backup, '--replace')).to.include({
      code: 0,
      stderr: 'restored and checked: 3 animals\n',
    });
    expect(await namesIn(file)).to.have.lengthOf(3);
  });

  it('removes an old write-ahead log, and replaces a damaged file with --replace', async () => {
    const backup = await newBackup();
    const { file } = await newCatalogue(animals(2_000));
    const database = openSqlite(file);
    await database.writes('pets').insert({ name: 'in the log', category_id: 1 });
    const log = await newBackupFile();
    await copyFile(`${file}-wal`, log);
    await database.close();
    await copyFile(log, `${file}-wal`);
    truncateSync(file, 4_096 + 100);
    expect((await restoreTo(file, backup)).stderr).to.match(/damaged|there are animals/);
    expect((await restoreTo(file, backup, '--replace')).code).to.equal(0);
    expect(await integrityOf(file)).to.deep.equal(['ok']);
    expect(await namesIn(file)).to.have.lengthOf(3);
  });

  it('refuses a file that is not a backup, is damaged or of a later generation, which can be backed up', async () => {
    const { file } = await newCatalogue([]);
    const text = await newFile('text', 'no backup, but longer than the head of a database, '.repeat(40));
    const damaged = await newBackup();
    writeFileSync(damaged, Buffer.alloc(4_096, 7), { flag: 'r+' });
    const other = await newCatalogue(animals(3));
    const host = knex({ client: 'sqlite3', connection: { filename: other.file }, useNullAsDefault: true });
    await host('animal_store_migrations').insert({ name: '999_new.generation-9', batch: 9 });
    await host.destroy();
    const later = await newBackupFile();
    expect((await runInProcess(['backup', later], other.environment)).code).to.equal(0);
    for (const [backup, words] of [
      [text, /: \S+ is not the database of an animal store, or is damaged: SQLITE_NOTADB/],
      [damaged, /: \S+ is not the database of an animal store, or is damaged: SQLITE_NOTADB/],
      [later, /the backup has schema generation 9, but this version works with 1; restore it with a version/],
    ] as const) {
      const { code, stderr } = await restoreTo(file, backup, '--replace');
      expect(code).to.equal(1);
      expect(stderr)
        .to.match(/^the restore failed: .*; the database is unchanged\n$/s)
        .and.match(words)
        .and.not.match(/select|pragma/i);
    }
    expect(await namesIn(file)).to.deep.equal([]);
  });

  it('refuses to replace the database of another program', async () => {
    const file = await newDatabaseFile();
    const host = knex({ client: 'sqlite3', connection: { filename: file }, useNullAsDefault: true });
    await host.schema.createTable('visitors', (table) => table.increments());
    await host.destroy();
    expect(await restoreTo(file, await newBackup(), '--replace')).to.include({
      code: 1,
      stderr: `the restore failed: ${file} is the database of another program; set DATABASE_URL to another file; the database is unchanged\n`,
    });
  });

  it('refuses the database itself, a folder, a pipe and a missing folder, with the reason', async () => {
    const { file } = await newCatalogue(animals(1));
    expect((await restoreTo(file, file, '--replace')).stderr).to.equal(
      `the restore failed: ${file} is the database itself; name another file; the database is unchanged\n`,
    );
    const backup = await newBackup();
    const folder = await makeFolder();
    for (const path of [folder, await makePipe()]) {
      const { code, stderr } = await restoreTo(path, backup, '--replace');
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr: `the restore failed: ${path} is not a regular file; set DATABASE_URL to another file; the database is unchanged\n`,
      });
    }
    const { code, stderr } = await restoreTo(join(folder, 'no', 'animals.sqlite3'), backup);
    expect(code).to.equal(1);
    expect(stderr).to.include(`create the folder ${join(folder, 'no')}`);
  });
});

describe('The write-ahead log', () => {
  afterEach(removeFolders);

  it('shrinks after an import next to other connections', async () => {
    const file = await newDatabaseFile();
    const [importer, other] = [openSqlite(file), openSqlite(file)];
    try {
      await success(migrate(importer));
      await other.reads('pets').first('id');
      await importer.writes.transaction((transaction) =>
        transaction.raw(
          `insert into pets (name, category_id)
           with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 4000)
           select hex(zeroblob(2000)), n from numbers`,
        ),
      );
      expect(statSync(`${file}-wal`).size).to.be.greaterThan(8_000_000);
      for (let time = 0; time < 2; time += 1) {
        await other.writes('heartbeats').insert({ id: 1, beaten_at: time }).onConflict('id').merge();
      }
      expect(statSync(`${file}-wal`).size).to.be.at.most(4 * 1024 * 1024);
    } finally {
      await Promise.all([importer.close(), other.close()]);
    }
  });
});
