import { expect } from 'chai';
import { restoreSqlite } from '../../../adapters/knex';
import { arbitraryNewPet } from '../../contracts';
import { newCatalogue } from '../../support/databases/catalogue';
import { isLocked } from '../../support/databases/sqlite-files';
import { removeFolders } from '../../support/temporary-folder';
import { PetName } from '../../../core';
import { decoded } from '../../contracts/outcome';
import { fault } from '../support/fault';

/** In milliseconds: longer than a pool keeps a connection that nobody uses. */
const atLeast = 33_000;

/** Milliseconds that each report of progress takes, as on a slow disk: there are two at least. */
const step = 18_000;

const wait = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step);

describe('Promise 2: a restore that takes long', () => {
  afterEach(removeFolders);

  fault('keeps everybody else from the database until its end', async () => {
    const name = decoded(PetName, 'x'.repeat(65_536));
    const { file } = await newCatalogue(Array.from({ length: 412 }, () => ({ ...arbitraryNewPet(), name })));
    const target = await newCatalogue();
    const locked: Array<boolean> = [];
    const began = performance.now();
    await restoreSqlite(file, target.file, {
      mayReplace: false,
      signal: new AbortController().signal,
      onProgress: () => {
        wait();
        locked.push(isLocked(target.file));
      },
    });
    const milliseconds = performance.now() - began;
    expect(milliseconds).to.be.greaterThan(atLeast);
    expect(locked).not.to.include(false);
    return { seconds: Math.round(milliseconds / 1_000), looks: locked.length };
  }).timeout(180_000);
});
