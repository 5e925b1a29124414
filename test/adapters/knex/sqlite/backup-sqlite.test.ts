import { expect } from 'chai';
import { lstatSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { backupSqlite, openSqlite, restoreSqlite } from '../../../../adapters/knex';
import { arbitraryNewPet } from '../../../contracts';
import { newCatalogue, withRepository } from '../../../support/databases/catalogue';
import { columnOf, isLocked } from '../../../support/databases/sqlite-files';
import { success } from '../../../contracts/outcome';
import { eventually } from '../../../support/eventually';
import { makeFolder, removeFolders } from '../../../support/temporary-folder';

/** Makes a closed database of 60 MB, so that a copy takes a while. */
const newLargeCatalogue = async (): Promise<string> => {
  const { file } = await newCatalogue();
  const { writePool, close } = openSqlite(file);
  await writePool.raw(
    `insert into idempotency_keys (owner_id, idempotency_key, content_hash, pet_id, expires_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 15000)
     select hex(zeroblob(2000)), n, '', n, 1 from numbers`,
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

  it('that is interrupted at any time ends at once', async () => {
    const file = await newLargeCatalogue();
    const folder = await makeFolder();
    /**
     * Interrupts a copy after some turns of the event loop, or once it has bytes. Returns the largest size of the copy.
     */
    const bytesOfCopy = async (turns: number): Promise<number> => {
      const controller = new AbortController();
      const progress = { isOver: false };
      const { signal } = controller;
      const outcome = failureOf(backupSqlite(file, join(folder, 'backup'), { signal })).finally(
        () => (progress.isOver = true),
      );
      let bytes = 0;
      for (let turn = 0; !progress.isOver; turn += 1) {
        for (const name of partialsIn(folder))
          bytes = Math.max(bytes, statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0);
        if (bytes > 0 || turn === turns) controller.abort();
        await setImmediate();
      }
      expect(await outcome).to.have.property('name', 'AbortError');
      expect(readdirSync(folder)).to.deep.equal([]);
      return bytes;
    };
    expect(await bytesOfCopy(Infinity)).to.be.within(1, statSync(file).size * 0.9);
    for (let turns = 0; turns < 20; turns += 1)
      expect(await bytesOfCopy(turns), `${turns} turns`).to.be.below(statSync(file).size * 0.9);
  });

  it('that is interrupted leaves the earlier file unchanged, and nothing else', async () => {
    const { file } = await newCatalogue();
    const { file: earlier } = await newCatalogue([arbitraryNewPet()]);
    for (const copy of [backupSqlite, restoreSqlite]) {
      const outcome = failureOf(copy(file, earlier, { mayReplace: true, signal: AbortSignal.abort() }));
      expect(await outcome).to.have.property('name', 'AbortError');
      expect(readdirSync(dirname(earlier))).to.deep.equal([basename(earlier)]);
      expect(await columnOf(earlier, 'pets', 'id')).to.deep.equal([1]);
    }
  });

  it('removes what a command that was killed more than a day ago has left, and no other file', async () => {
    const { file } = await newCatalogue();
    const folder = await makeFolder();
    const id = '01234567-89ab-4cde-8f01-23456789abcd';
    const [old, fresh, other] = [
      `yesterday.animal-store-${id}.partial`,
      `today.animal-store-${id}.partial`,
      'notes.partial',
    ] as const;
    const twoDaysAgo = Date.now() / 1_000 - 2 * 86_400;
    for (const name of [old, fresh, other]) {
      writeFileSync(join(folder, name), '');
      if (name !== fresh) utimesSync(join(folder, name), twoDaysAgo, twoDaysAgo);
    }
    await backupSqlite(file, join(folder, 'copy'), quietly);
    expect(partialsIn(folder)).to.have.members([fresh, other]);
  });

  it('to a missing file prevents others from creating one during the restore', async () => {
    const file = await newLargeCatalogue();
    const target = join(await makeFolder(), 'restored');
    const restored = restoreSqlite(file, target, quietly);
    await eventually('the copy has begun', 20_000, () => partialsIn(dirname(target)).length > 0);
    const locked = partialsIn(dirname(target)).length > 0 ? isLocked(target) : true;
    expect(locked).to.equal(true);
    expect(await restored).to.deep.equal({ animals: 0, kept: undefined, migrated: [] });
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
    await served.writePool('pets').delete();
    await served.close();
    const target = join(await makeFolder(), 'backup');
    expect(await backupSqlite(file, target, quietly)).to.equal(0);
    const { pet } = await withRepository(target, ({ create }) => success(create(arbitraryNewPet())));
    expect(pet.id).to.equal(3n);
  });

  it('fails if a row violates a CHECK constraint', async () => {
    const { file } = await newCatalogue([arbitraryNewPet()]);
    const { writePool, close } = openSqlite(file);
    await writePool.raw('pragma ignore_check_constraints = on');
    await writePool('pets').update({ status: 'eaten' });
    await close();
    const target = join(await makeFolder(), 'backup');
    expect(await failureOf(backupSqlite(file, target, quietly)))
      .to.have.property('message')
      .that.includes('CHECK constraint failed in pets');
    expect(readdirSync(dirname(target))).to.deep.equal([]);
  });

  it('into a new file refuses a second restore meanwhile, which would replace the first', async () => {
    const { file } = await newCatalogue([arbitraryNewPet()]);
    const target = join(await makeFolder(), 'restored');
    let second: Promise<unknown> | undefined;
    const restored = await restoreSqlite(file, target, {
      mayReplace: false,
      signal: new AbortController().signal,
      onStage: () => {
        second ??= failureOf(restoreSqlite(file, target, quietly));
      },
    });
    expect(await second).to.match(/ is in use; stop the service and any other program that has it open$/);
    expect(restored).to.deep.equal({ animals: 1, kept: undefined, migrated: [] });
    expect(await columnOf(target, 'pets', 'id')).to.deep.equal([1]);
  });
});
