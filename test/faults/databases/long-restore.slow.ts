import { expect } from 'chai';
import { newCatalogue } from '../../support/databases/catalogue';
import { isLocked } from '../../support/databases/sqlite-files';
import { removeFolders } from '../../support/temporary-folder';
import { restoreSqlite } from '../../../adapters/knex';
import { arbitraryNewPet } from '../../contracts';
import { decodeOrThrow, PetName } from '../../../core';

/** Duration of the restore: longer than a pool keeps an idle connection. */
const leastMs = 33_000;

/** Duration of the first reports of progress, as on a slow disk. There are at least two reports. */
const stepMs = 18_000;

const wait = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stepMs);

describe('A long restore', () => {
  afterEach(removeFolders);

  it('locks the database until its end', async () => {
    const name = decodeOrThrow(PetName, '🐕'.repeat(1_000));
    const { file } = await newCatalogue(
      Array.from({ length: 6_750 }, () => ({ ...arbitraryNewPet(), name })),
    );
    const target = await newCatalogue();
    const locked: Array<boolean> = [];
    const began = performance.now();
    await restoreSqlite(file, target.file, {
      mayReplace: false,
      signal: new AbortController().signal,
      onProgress: () => {
        if (performance.now() - began < leastMs) wait();
        locked.push(isLocked(target.file));
      },
    });
    expect(performance.now() - began).to.be.greaterThan(leastMs);
    expect(locked).not.to.include(false);
  });
});
