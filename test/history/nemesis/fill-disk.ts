import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { Injection } from './nemesis';

const run = promisify(execFile);

const block = 4096;

/** Takes what is left of a small file system, down to the last page, for a while. */
export const fillDisk = (name: string, folder: string, size: number, lasts: number): Injection => ({
  name: `fill ${name}`,
  silences: [],
  inject: async (last) => {
    const filler = `${folder}/filler`;
    let filled = 0;
    // It reserves room and writes nothing, so that the faults beside it keep their processors.
    for (let piece = size; piece >= block; piece /= 2) {
      const reserve = ['--offset', `${filled}`, '--length', `${piece}`, filler];
      const isThere = await run('fallocate', reserve).then(
        () => true,
        () => false,
      );
      if (isThere) filled += piece;
    }
    await last(lasts);
    await rm(filler, { force: true });
  },
});
