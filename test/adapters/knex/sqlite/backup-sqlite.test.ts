import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  backupSqlite,
  type CopyOptions,
  type CopyProgress,
  openSqlite,
  restoreSqlite,
} from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { newCatalogue, withRepository } from '../../../support/databases/catalogue';
import { columnOf, isLocked } from '../../../support/databases/sqlite-files';
import { projectFolder } from '../../../support/processes/command';
import { success } from '../../../contracts/outcome';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

/** Makes a closed database with 4 kB for each row, by default 60 MB, so that a copy reports progress. */
const newLargeCatalogue = async (rows = 15_000): Promise<string> => {
  const { file } = await newCatalogue();
  const { writes, close } = openSqlite(file);
  await writes.raw(
    `insert into pets (name, category_id)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${rows})
     select hex(zeroblob(2000)), 1 from numbers`,
  );
  await close();
  return file;
};

const update = `new (require('sqlite3').Database)(process.argv[1], function () {
  this.exec('pragma journal_mode = wal; update pets set category_id = 2', () => this.close());
});`;

const quietly = { signal: new AbortController().signal, onProgress: constVoid };

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(String, (error: unknown) => error);

describe('A copy of a SQLite file', () => {
  afterEach(removeFolders);

  it('reports its progress up to the end', async () => {
    const file = await newLargeCatalogue();
    const told: Array<CopyProgress> = [];
    const target = join(await makeFolder(), 'backup');
    const animals = await backupSqlite(file, target, {
      signal: new AbortController().signal,
      onProgress: (progress) => told.push(progress),
    });
    expect(animals).to.equal(15_000);
    const copied = told.map((progress) => progress.copied);
    expect(copied.length).to.be.greaterThan(2);
    expect(copied).to.deep.equal([...copied].sort((one, other) => one - other));
    expect(copied.at(-1)).to.equal(told[0]?.total);
  });

  for (const [when, isTime] of [
    ['amid the pages', ({ copied, total }: CopyProgress) => copied > 0 && copied < total],
    ['before the check', ({ copied, total }: CopyProgress) => copied === total],
  ] as const) {
    it(`that is interrupted ${when} leaves the file and the database unchanged, and nothing else`, async () => {
      const file = await newLargeCatalogue();
      const earlier = join(await makeFolder(), 'backup');
      await backupSqlite((await newCatalogue()).file, earlier, quietly);
      const bytes = readFileSync(earlier);
      const empty = await newCatalogue();
      const before = readFileSync(empty.file);
      for (const copy of [
        (options: CopyOptions) => backupSqlite(file, earlier, options),
        (options: CopyOptions) => restoreSqlite(file, empty.file, { ...options, mayReplace: true }),
        (options: CopyOptions) =>
          restoreSqlite(file, join(dirname(empty.file), 'missing'), { ...options, mayReplace: false }),
      ]) {
        const interruption = new AbortController();
        const failure = await failureOf(
          copy({
            signal: interruption.signal,
            onProgress: (progress) => {
              if (isTime(progress)) interruption.abort();
            },
          }),
        );
        expect(failure).to.have.property('name', 'AbortError');
      }
      expect(readFileSync(earlier)).to.deep.equal(bytes);
      expect(readdirSync(dirname(earlier))).to.deep.equal([basename(earlier)]);
      expect(existsSync(`${empty.file}-wal`)).to.equal(false);
      expect(readdirSync(dirname(empty.file))).to.deep.equal([basename(empty.file)]);
      // In the SQLite header, bytes 18 and 19 have the journal mode, and 24 to 27 and 92 to 95 count changes.
      const after = readFileSync(empty.file);
      expect(after.subarray(100)).to.deep.equal(before.subarray(100));
    });
  }

  it('to a missing file prevents others from creating one during the copy', async () => {
    const file = await newLargeCatalogue();
    const target = join(await makeFolder(), 'restored');
    const seen: Array<boolean> = [];
    await restoreSqlite(file, target, {
      mayReplace: false,
      signal: new AbortController().signal,
      onProgress: () => {
        if (seen.length === 0) seen.push(isLocked(target));
      },
    });
    expect(seen).to.deep.equal([true]);
    expect(await columnOf(target, 'pets', 'id')).to.have.lengthOf(15_000);
  });

  it('through a link to an open file has the rows that are only in the write-ahead log', async () => {
    const { file } = await newCatalogue();
    const folder = await makeFolder();
    const link = join(folder, 'link');
    symlinkSync(file, link);
    const { writes, sizes, close } = openSqlite(link);
    await writes('pets').insert({ name: 'in the log', category_id: 1 });
    expect(await backupSqlite(link, join(folder, 'backup'), quietly)).to.equal(1);
    expect((await sizes()).writeAheadLogSize).to.be.above(0);
    await close();
  });

  it('to a link creates its target, and the link stays', async () => {
    const { file } = await newCatalogue();
    const folder = await makeFolder();
    symlinkSync('restored', join(folder, 'link'));
    await restoreSqlite(file, join(folder, 'link'), { ...quietly, mayReplace: false });
    expect(lstatSync(join(folder, 'link')).isSymbolicLink()).to.equal(true);
    expect(readdirSync(folder)).to.deep.equal(['link', 'restored']);
    expect(await columnOf(join(folder, 'restored'), 'pets', 'id')).to.deep.equal([]);
  });

  it('keeps assigned ids from being assigned again', async () => {
    const { file } = await newCatalogue([arbitraryNewPet(), arbitraryNewPet()]);
    const served = openSqlite(file);
    await served.writes('pets').delete();
    await served.close();
    const target = join(await makeFolder(), 'backup');
    expect(await backupSqlite(file, target, quietly)).to.equal(0);
    const { pet } = await withRepository(target, ({ create }) => success(create(arbitraryNewPet())));
    expect(pet.id).to.equal(3n);
  });

  it('succeeds despite the files of a killed copy with the same pid in a container', async () => {
    const { file } = await newCatalogue();
    const target = join(await makeFolder(), 'backup');
    writeFileSync(`${target}.${process.pid}.partial`, '');
    expect(await backupSqlite(file, target, quietly)).to.equal(0);
  });

  it('has one state while another process opens, writes and closes the file', async () => {
    const file = await newLargeCatalogue(3_000);
    const target = join(await makeFolder(), 'backup');
    let isUpdated = false;
    const animals = await backupSqlite(file, target, {
      ...quietly,
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
});
