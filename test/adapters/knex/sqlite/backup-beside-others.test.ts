import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { backupSqlite, openSqlite } from '../../../../adapters/knex';
import { newCatalogue } from '../../../support/databases/catalogue';
import { columnOf, integrityOf } from '../../../support/databases/sqlite-files';
import { projectFolder } from '../../../support/processes/command';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

const update = `new (require('sqlite3').Database)(process.argv[1], function () {
  this.exec('pragma journal_mode = wal; update pets set category_id = 2', () => this.close());
});`;

const options = { signal: new AbortController().signal, onProgress: constVoid };

/** A file that is closed, of 12 MB. */
const newLargeFile = async (): Promise<string> => {
  const { file } = await newCatalogue();
  const { writes, close } = openSqlite(file);
  await writes.raw(
    `insert into pets (name, category_id)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 3000)
     select hex(zeroblob(2000)), 1 from numbers`,
  );
  await close();
  return file;
};

describe('A copy of a SQLite file', () => {
  afterEach(removeFolders);

  it('has one state while another process opens, writes and closes the file', async () => {
    const file = await newLargeFile();
    const target = join(await makeFolder(), 'backup');
    let isUpdated = false;
    const animals = await backupSqlite(file, target, {
      ...options,
      onProgress: () => {
        if (isUpdated) return;
        isUpdated = true;
        spawnSync(process.execPath, ['-e', update, file], { cwd: projectFolder });
      },
    });
    expect(animals).to.equal(3_000);
    expect(new Set(await columnOf(target, 'pets', 'category_id'))).to.have.property('size', 1);
    expect(new Set(await columnOf(file, 'pets', 'category_id'))).to.deep.equal(new Set([2]));
    expect(readdirSync(dirname(file))).to.deep.equal(['animals.sqlite3']);
  });

  it('is complete after it replaces a file with a leftover write-ahead log', async () => {
    const file = await newLargeFile();
    const target = join(await makeFolder(), 'backup');
    await backupSqlite(file, target, options);
    const { writes, close } = openSqlite(target);
    await writes('pets').where('id', '<', 50).delete();
    copyFileSync(`${target}-wal`, `${target}-left`);
    await close();
    copyFileSync(`${target}-left`, `${target}-wal`);

    await backupSqlite(file, target, { ...options, mayReplace: true });
    expect(await integrityOf(target)).to.deep.equal(['ok']);
    expect(await columnOf(target, 'pets', 'id')).to.have.lengthOf(3_000);
  });
});
