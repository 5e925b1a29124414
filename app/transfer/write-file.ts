import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { WriteTexts } from './write-texts';

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

/**
 * Writes a file under another name beside it, and gives it its own once the disk has all of it: whatever ends that
 * early, the file is what it was. What a link points to is replaced, not the link; a pipe or a device is refused.
 */
export const writeFile =
  (file: string): WriteTexts =>
  async (texts, signal) => {
    const target = (await exists(file)) ? await realpath(file) : file;
    if ((await exists(target)) && !(await stat(target)).isFile()) {
      throw new Error(`${file} is no regular file: write to standard output instead`);
    }
    const partial = `${target}.${process.pid}.partial`;
    const handle = await open(partial, 'wx');
    try {
      await pipeline(texts, handle.createWriteStream({ flush: true }), { signal });
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  };
