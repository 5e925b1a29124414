import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inFolder } from '../../../support/temporary-folder';

const run = promisify(execFile);

/** Gives a file system of its own, of a size as in `4m`; it is gone afterwards. */
export const inTmpfs = <A>(size: string, use: (folder: string) => Promise<A>): Promise<A> =>
  inFolder(async (folder) => {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    try {
      return await use(folder);
    } finally {
      // Lazily: a service that a failed test left behind may still hold a file.
      await run('umount', ['-l', folder]);
    }
  });

export const remount = async (folder: string, mode: 'ro' | 'rw'): Promise<void> => {
  await run('mount', ['-o', `remount,${mode}`, folder]);
};
