import { expect } from 'chai';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backupSqlite, type CopyOptions, openSqlite, restoreSqlite } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { newCatalogue, withRepository } from '../../../support/databases/catalogue';
import { columnOf, isLocked } from '../../../support/databases/sqlite-files';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

/** Makes a closed database of 60 MB, so that a copy takes a while. */
const newLargeCatalogue = async (): Promise<string> => {
  const { file } = await newCatalogue();
  const { writes, close } = openSqlite(file);
  await writes.raw(
    `insert into creation_keys (owner_id, idempotency_key, pet_id, expires_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 15000)
     select hex(zeroblob(2000)), n, n, 1 from numbers`,
  );
  await close();
  return file;
};

const quietly = { mayReplace: true, signal: new AbortController().signal };

const failureOf = (work: Promise<unknown>): Promise<unknown> => work.then(String, (error: unknown) => error);

const partialsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).filter((name) => name.endsWith('.partial'));

describe('A copy of a SQLite file', () => {
  afterEach(removeFolders);

  for (const [command, copy] of [
    ['backup', (from: string, to: string, options: CopyOptions) => backupSqlite(from, to, options)],
    ['restore', (from: string, to: string, options: CopyOptions) => restoreSqlite(from, to, options)],
  ] as const) {
    it(`that is interrupted leaves the earlier file unchanged, and nothing else: ${command}`, async () => {
      const file = await newLargeCatalogue();
      const earlier = join(await makeFolder(), 'earlier');
      await backupSqlite((await newCatalogue([arbitraryNewPet()])).file, earlier, quietly);
      const before = readFileSync(earlier);
      const interruption = new AbortController();
      const outcome = failureOf(copy(file, earlier, { ...quietly, signal: interruption.signal }));
      await eventually('the copy has begun', 20_000, () => partialsIn(dirname(earlier)).length > 0);
      interruption.abort();
      expect(await outcome).to.have.property('name', 'AbortError');
      expect(readdirSync(dirname(earlier))).to.deep.equal([basename(earlier)]);
      expect(readFileSync(earlier).subarray(100)).to.deep.equal(before.subarray(100));
    });

    it(`removes what a ${command} that was killed more than a day ago has left, and no other file`, async () => {
      const { file } = await newCatalogue();
      const folder = await makeFolder();
      const id = '01234567-89ab-4cde-8f01-23456789abcd';
      const [old, fresh, other] = [
        join(folder, `yesterday.animal-store-${id}.partial`),
        join(folder, `today.animal-store-${id}.partial`),
        join(folder, 'notes.partial'),
      ];
      for (const path of [old, fresh, other]) writeFileSync(path, '');
      const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
      for (const path of [old, other]) utimesSync(path, twoDaysAgo, twoDaysAgo);
      await copy(file, join(folder, 'copy'), quietly);
      expect([old, fresh, other].map((path) => existsSync(path))).to.deep.equal([false, true, true]);
    });
  }

  it('to a missing file prevents others from creating one during the restore', async () => {
    const file = await newLargeCatalogue();
    const target = join(await makeFolder(), 'restored');
    const restored = restoreSqlite(file, target, quietly);
    await eventually('the copy has begun', 20_000, () => partialsIn(dirname(target)).length > 0);
    const locked = partialsIn(dirname(target)).length > 0 ? isLocked(target) : true;
    expect(locked).to.equal(true);
    expect(await restored).to.deep.equal({ animals: 0, kept: undefined });
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
    await restoreSqlite(file, join(folder, 'link'), quietly);
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

  it('fails if a row violates a CHECK constraint', async () => {
    const { file } = await newCatalogue([arbitraryNewPet()]);
    const { writes, close } = openSqlite(file);
    await writes.raw('pragma ignore_check_constraints = on');
    await writes('pets').update({ status: 'eaten' });
    await close();
    const target = join(await makeFolder(), 'backup');
    expect(await failureOf(backupSqlite(file, target, quietly)))
      .to.have.property('message')
      .that.includes('CHECK constraint failed in pets');
    expect(readdirSync(dirname(target))).to.deep.equal([]);
  });
});
