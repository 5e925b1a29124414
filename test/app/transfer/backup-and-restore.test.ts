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
  startProgram,
  withoutDatabaseLine,
} from '../../support/processes/command';
import { integrityOf } from '../../support/databases/sqlite-files';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { animals, makePipe, namesIn, newFile, runInProcess } from './support';

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
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: 'backed up and checked: 3 animals\n' });
    expect(await namesIn(backup)).to.have.lengthOf(3);
  });

  it('leaves an earlier backup and nothing else when it fails', async () => {
    const { environment, file } = await newCatalogue(animals(2_000));
    const backup = await newBackup();
    const earlier = readFileSync(backup);
    truncateSync(file, 3 * 4_096);
    const { code, stderr } = await runInProcess(['backup', backup, '--replace'], environment);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^the backup failed: .*(malformed|damaged).*; .* is unchanged\n$/);
    expect(readFileSync(backup)).to.deep.equal(earlier);
    expect(readdirSync(dirname(backup))).to.deep.equal(['backup.sqlite3']);
  });

  it('reports the damage of a page', async () => {
    const { environment, file } = await newCatalogue(animals(2_000));
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(4_096, 0xff), 0, 4_096, 20 * 4_096);
    closeSync(handle);
    const { code, stderr } = await runInProcess(['backup', await newBackupFile()], environment);
    expect(code).to.equal(1);
    expect(stderr).to.match(/animals.sqlite3 or its copy is damaged: .*; restore an undamaged backup/);
  });

  it('replaces an existing file only with --replace, and never a database that is in use', async () => {
    const { environment } = await newCatalogue(animals(3));
    const backUp = (file: string, ...options: ReadonlyArray<string>) =>
      runInProcess(['backup', file, ...options], environment);
    const closed = (await newCatalogue(animals(1))).file;
    for (const file of [
      await newBackup(),
      await newFile('text', 'a text'),
      await newFile('empty', ''),
      closed,
    ]) {
      const before = readFileSync(file);
      expect((await backUp(file)).stderr).to.equal(
        `the backup failed: ${file} exists; name another file, or replace it with --replace; ${file} is unchanged\n`,
      );
      expect(readFileSync(file)).to.deep.equal(before);
      expect((await backUp(file, '--replace')).code).to.equal(0);
      expect(await namesIn(file)).to.have.lengthOf(3);
    }
    const live = await newCatalogue(animals(1));
    const store = openSqlite(live.file);
    await store.writes('pets').insert({ name: 'in the log', category_id: 1 });
    expect((await backUp(live.file, '--replace')).stderr).to.include(
      'is a database that is in use or was not closed',
    );
    expect(await store.reads('pets').pluck('name')).to.deep.equal(['animal 1', 'in the log']);
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
    const inNoFolder = { DATABASE_URL: `sqlite:${missing}/in-no-folder` };
    expect((await runInProcess(['backup', await newBackupFile()], inNoFolder)).stderr).to.include(
      'there is no animal store',
    );
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

    const { code, stderr } = await restoreTo(file, backup, '--replace');
    expect(code).to.equal(0);
    const [, kept = ''] =
      /^restored and checked: 3 animals; the replaced database is (\S+); delete/.exec(stderr) ?? [];
    expect(kept.startsWith(`${file}.replaced-20`)).to.equal(true);
    expect(await namesIn(file)).to.have.lengthOf(3);
    expect(await namesIn(kept)).to.deep.equal(['animal 1']);
  });

  it('checks the backup first, then whether the database is in use, then whether it has animals', async () => {
    const { file } = await newCatalogue(animals(1));
    const backup = await newBackup();
    const database = openSqlite(file);
    await database.reads('pets').first('id');
    const missing = await newBackupFile();
    const expectRefusal = async (source: string, words: string): Promise<void> => {
      expect((await restoreTo(file, source)).stderr).to.include(words);
    };
    await expectRefusal(missing, `file not found: ${missing}`);
    await expectRefusal(await newFile('text', 'no backup'), 'is not a backup of an animal store');
    await expectRefusal(backup, 'is in use; stop the service');
    await database.close();
    await expectRefusal(backup, 'there are animals in');
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
      [text, /: \S+ is not a backup of an animal store, or is damaged;/],
      [damaged, /: \S+ is not a backup of an animal store, or is damaged;/],
      [
        later,
        /backup.sqlite3 can't be restored: a newer version .* \(schema generation 9; this version works with 1\)/,
      ],
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
      stderr: `the restore failed: ${file} is the database of another program; name another file; the database is unchanged\n`,
    });
  });

  it('refuses the database itself, a folder, a pipe and a missing folder, with the reason', async () => {
    const { file } = await newCatalogue(animals(1));
    expect((await restoreTo(file, file, '--replace')).stderr).to.equal(
      `the restore failed: ${file} is the database itself; name another file; the database is unchanged\n`,
    );
    const backup = await newBackup();
    const folder = await makeFolder();
    for (const [path, reason] of [
      [folder, 'it is a folder; name a file in it'],
      [await makePipe(), 'it is not a regular file; name another file'],
    ] as const)
      expect(await restoreTo(path, backup, '--replace')).to.include({
        code: 1,
        stderr: `the restore failed: ${path} can't be replaced: ${reason}; the database is unchanged\n`,
      });
    const { code, stderr } = await restoreTo(join(folder, 'no', 'animals.sqlite3'), backup);
    expect(code).to.equal(1);
    expect(stderr).to.include(`create the folder ${join(folder, 'no')}`);
  });
});

describe('A database file that is mounted without its folder', () => {
  afterEach(killPrograms);
  afterEach(removeFolders);

  const mounting = 'mount --bind "$1" "$2"';

  it('can not be replaced, and serve refuses it in production', async function () {
    const probe = await startProgram('unshare', ['-m', 'true']).ended.catch(() => undefined);
    if (probe?.code !== 0) {
      if (this.test !== undefined) this.test.title += ' (skipped: a mount namespace needs root)';
      this.skip();
    }
    const { file } = await newCatalogue(animals(1));
    const mounted = await newFile('mounted file', '');
    const backup = await newBackup();
    const run = async (command: string, environment: Readonly<Record<string, string>> = {}, expected = 1) => {
      const script = `${mounting} && exec "$3" "$4" ${command}`;
      const words = ['-m', 'sh', '-c', script, 'sh', file, mounted, process.execPath, main, backup];
      const { code, stdout, stderr } = await startProgram('unshare', words, {
        environment: { DATABASE_URL: `sqlite:${mounted}`, PORT: '0', ...environment },
      }).ended;
      expect(code, stderr).to.equal(expected);
      return stdout + stderr;
    };
    const ofBackup = { DATABASE_URL: `sqlite:${backup}` };
    for (const [command, environment] of [
      ['backup "$2" --replace', ofBackup],
      ['restore "$5" --replace', {}],
    ] as const)
      expect(await run(command, environment)).to.include(
        `${mounted} is a mount point, so no file can take its place; mount its folder instead`,
      );
    const production = { NODE_ENV: 'production', API_KEYS: 'a-key-of-22-characters-' };
    expect(await run('serve', production)).to.include('mount its folder');
    expect(await run('doctor', production)).to.match(/FAIL +database +.* mount its folder/);
    expect(await run('doctor', {}, 0)).to.match(/warn\w* +database +.* mount its folder/i);
    const [text, target] = [await newFile('text', ''), await newFile('animals.csv', '')];
    const exporting = [
      `${mounting} && exec "$3" "$4" export "$2"`,
      'sh',
      text,
      target,
      process.execPath,
      main,
    ];
    const { code, stderr } = await startProgram('unshare', ['-m', 'sh', '-c', ...exporting], {
      environment: { DATABASE_URL: `sqlite:${file}` },
    }).ended;
    expect(code, stderr).to.equal(1);
    expect(stderr).to.include(`${target} is a mount point, so no file can take its place`);
    expect(await namesIn(file)).to.deep.equal(['animal 1']);
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
          `insert into creation_keys (owner_id, idempotency_key, pet_id, expires_at)
           with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 4000)
           select hex(zeroblob(2000)), n, n, 1 from numbers`,
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
