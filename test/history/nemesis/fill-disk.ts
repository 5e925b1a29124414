import { rm, writeFile } from 'node:fs/promises';
import type { Injection } from './nemesis';

const block = 4096;

/** Takes what is left of a small file system, down to the last page, for a while. */
export const fillDisk = (name: string, folder: string, size: number, lasts: number): Injection => ({
  name: `fill ${name}`,
  silences: [],
  inject: async (last) => {
    const filler = `${folder}/filler`;
    for (let piece = size; piece >= block; piece /= 2) {
      await writeFile(filler, Buffer.alloc(piece), { flag: 'a' }).catch(() => undefined);
    }
    await last(lasts);
    await rm(filler, { force: true });
  },
});
