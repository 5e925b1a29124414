import { expect } from 'chai';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import knex from 'knex';
import { openSqlite } from '../../../adapters/knex';
import { newCatalogue } from '../../support/databases/catalogue';
import { migrationNames } from '../../support/databases/migrations';
import { main, projectFolder, startProgram } from '../../support/processes/command';
import { columnOf, integrityOf } from '../../support/databases/sqlite-files';
import { makeFolder, newDatabaseFile, removeFolders } from '../../support/temporary-folder';
import { animals, makePipe, namesIn, newBackup, newBackupFile, newFile, runInProcess } from './support';

const restoreTo = (file: string, backup: string, ...options: ReadonlyArray<string>) =>
  runInProcess(['restore', backup, ...options], { DATABASE_URL: `sqlite:${file}` });

describe('animal-store restore', () => {
  afterEach(removeFolders);

  it('checks the backup, then whether the database is in use, then whether it has animals', async () => {
    const backup = await newBackup();
    const { file: empty } = await newCatalogue([]);
    expect((await restoreTo(empty, backup)).code).to.equal(0);
    expect(await namesIn(empty)).to.have.lengthOf(3);

    const { file } = await newCatalogue(animals(1));
    const database = openSqlite(file);
    await database.readPool('pets').first('id');
    const expectRefusal = async (source: string, words: string): Promise<void> => {
      const { code, stderr } = await restoreTo(file, source);
      expect(code).to.equal(1);
      expect(stderr).to.include(words);
    };
    const missing = await newBackupFile();
    await expectRefusal(missing, `${missing}: no such file or directory`);
    await expectRefusal(await newFile('text', 'no backup'), 'is not a backup of an animal store');
    await expectRefusal(backup, 'is in use; stop the service');
    expect((await restoreTo(file, backup, '--replace')).stderr).to.include('is in use; stop the service');
    await database.close();
    await expectRefusal(backup, 'there are animals or keys in');
    expect(await namesIn(file)).to.deep.equal(['animal 1']);
    expect(readdirSync(dirname(file))).to.deep.equal(['animals.sqlite3']);

    const { file: withKey, environment } = await newCatalogue([]);
    expect((await runInProcess(['keys', 'create', '--name', 'shop'], environment)).code).to.equal(0);
    expect((await restoreTo(withKey, backup)).stderr).to.include('there are animals or keys in');

    const { code, stderr } = await restoreTo(file, backup, '--replace');
    expect(code).to.equal(0);
    const [, kept = ''] =
      /^restored and checked: 3 animals, with .*; the replaced database is (\S+); delete/.exec(stderr) ?? [];
    expect(kept.startsWith(`${file}.replaced-20`)).to.equal(true);
    expect(await namesIn(file)).to.have.lengthOf(3);
    expect(await namesIn(kept)).to.deep.equal(['animal 1']);
  });

  it('tries a backup with --check, tells what it contains, and changes no database', async () => {
    const backup = await newBackup();
    const { file, environment } = await newCatalogue(animals(1));
    const { code, stderr } = await runInProcess(['restore', backup, '--check'], environment);
    expect(code, stderr).to.equal(0);
    expect(stderr).to.match(
      /^the backup can be restored: 3 animals, (?:the newest was created at \S+Z, )?the last id is 3, no key was used\n$/,
    );
    expect(await namesIn(file)).to.deep.equal(['animal 1']);
    const damaged = await newFile('damaged', '');
    writeFileSync(damaged, readFileSync(backup).fill(7, 5_000, 9_000));
    expect((await runInProcess(['restore', damaged, '--check'], environment)).code).to.equal(1);
  });

  it('removes an old write-ahead log, and replaces a damaged file with --replace', async () => {
    const backup = await newBackup();
    const { file } = await newCatalogue(animals(2_000));
    const database = openSqlite(file);
    await database.writePool('pets').insert({ name: 'in the log', category_id: 1 });
    const log = await newBackupFile();
    await copyFile(`${file}-wal`, log);
    await database.close();
    await copyFile(log, `${file}-wal`);
    truncateSync(file, 4_096 + 100);
    expect((await restoreTo(file, backup)).stderr).to.include(
      'or it is damaged; --replace keeps it in a file with another name; ',
    );
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
        /backup.sqlite3 can't be restored: a newer version .* \(schema generation 9; this version works with 1\); run that version, or restore a backup made before the migration;/,
      ],
    ] as const) {
      const { code, stderr } = await restoreTo(file, backup, '--replace');
      expect(code).to.equal(1);
      expect(stderr)
        .to.match(/^error: .*; the database is unchanged\n$/s)
        .and.match(words)
        .and.not.match(/select|pragma/i);
    }
    expect(await namesIn(file)).to.deep.equal([]);
  });

  it('migrates the backup of an earlier generation before it takes the place of the database', async () => {
    const [backup, file] = [await newBackup(), await newDatabaseFile()];
    const later = join(projectFolder, 'test/faults/support/more-migrations.mjs');
    const command = ['--import', later, main, 'restore', backup];
    const environment = { DATABASE_URL: `sqlite:${file}`, TEST_MIGRATIONS: 'breaks' };
    const { code, stderr } = await startProgram(process.execPath, command, { environment }).ended;
    expect(stderr).to.match(
      /\nrestored and checked: 3 animals, .*; the backup is of an earlier version, so its copy was migrated: 901_rename_colour.generation-2\n$/,
    );
    expect(code).to.equal(0);
    expect(await columnOf(file, 'pets', 'hue')).to.deep.equal([null, null, null]);
    const names = migrationNames();
    expect(await columnOf(file, 'animal_store_migrations', 'name')).to.have.lengthOf(names.length + 1);
    expect(await columnOf(backup, 'animal_store_migrations', 'name')).to.deep.equal(names);
  });

  it('refuses the database itself or of another program, a folder, a pipe and a missing folder', async () => {
    const [backup, folder, pipe] = [await newBackup(), await makeFolder(), await makePipe()];
    const foreign = `${await newDatabaseFile()} - foreign`;
    const host = knex({ client: 'sqlite3', connection: { filename: foreign }, useNullAsDefault: true });
    await host.schema.createTable('visitors', (table) => table.increments());
    await host.destroy();
    for (const [path, reason] of [
      [backup, 'is the database itself; name another file'],
      [foreign, 'is the database of another program; name another file'],
      [folder, "can't be replaced: it is a folder; name a file in it"],
      [pipe, "can't be replaced: it is not a regular file; name another file"],
      [`${folder}/no/animals`, `can't be replaced: create the folder ${folder}/no`],
    ] as const)
      expect(await restoreTo(path, backup, '--replace')).to.include({
        code: 1,
        stderr: `error: ${path} ${reason}; the database is unchanged\n`,
      });
  });
});
