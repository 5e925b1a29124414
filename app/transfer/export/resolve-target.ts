import type { Stats } from 'node:fs';
import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode } from '../../failures/error-code';

/** A file that is there or will be: where it is once every link is followed, and what is there already. */
interface Target {
  readonly path: string;
  readonly earlier: Stats | undefined;
}

const ifThere = <A>(found: Promise<A>): Promise<A | undefined> =>
  found.catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });

/** Follows links to a file that is not there yet, too; rejects where its folder is not there. */
const resolveTarget = async (file: string): Promise<Target> => {
  const earlier = await ifThere(stat(file));
  if (earlier !== undefined) return { path: await realpath(file), earlier };
  const folder = await realpath(dirname(file));
  const link = await ifThere(lstat(file));
  return link?.isSymbolicLink() === true
    ? resolveTarget(resolve(folder, await readlink(file)))
    : { path: join(folder, basename(file)), earlier };
};

/** Whether two names stand for one file, by any link. */
const isSameTarget = (one: Target, other: Target): boolean =>
  one.path === other.path ||
  (one.earlier !== undefined &&
    one.earlier.ino === other.earlier?.ino &&
    one.earlier.dev === other.earlier.dev);

/** The same of a file that is to be written: rejects a pipe, a device and the files of the database itself. */
export const resolveFreeTarget = async (
  file: string,
  databaseFiles: ReadonlyArray<string>,
): Promise<Target> => {
  const target = await resolveTarget(file);
  if (target.earlier?.isFile() === false) {
    throw new Error(`${file} is no regular file: write to standard output instead`);
  }
  for (const databaseFile of databaseFiles) {
    if (isSameTarget(target, await resolveTarget(databaseFile))) {
      throw new Error(`${file} is the database itself`);
    }
  }
  return target;
};
