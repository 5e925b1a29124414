import type { Stats } from 'node:fs';
import { open, realpath, rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { WriteTexts } from './write-texts';

const newFileMode = 0o666;

/** What is there already; undefined where nothing is. */
const find = (file: string): Promise<Stats | undefined> => stat(file).catch(() => undefined);

/**
 * Writes a file under another name beside it, and gives it its own once the disk has all of it: whatever ends that
 * early, the file is what it was. What a link points to is replaced, not the link, and stays readable to no more users;
 * a pipe or a device is refused.
 */
export const writeFile =
  (file: string): WriteTexts =>
  async (texts, signal) => {
    const earlier = await find(file);
    if (earlier?.isFile() === false) {
      throw new Error(`${file} is no regular file: write to standard output instead`);
    }
    const target = earlier === undefined ? file : await realpath(file);
    const partial = `${target}.${process.pid}.partial`;
    const handle = await open(partial, 'wx', (earlier?.mode ?? newFileMode) & 0o777);
    try {
      await pipeline(texts, handle.createWriteStream({ flush: true }), { signal });
      await rename(partial, target);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  };
