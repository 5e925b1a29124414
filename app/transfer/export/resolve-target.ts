import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** A file that is there or will be: where it is once every link is followed, and what is there already. */
interface Target {
  readonly path: string;
  readonly earlier: Stats | undefined;
}

/** Follows links to a file that is not there yet, too; throws where its folder is not there. */
const resolveTarget = (file: string): Target => {
  const earlier = statSync(file, { throwIfNoEntry: false });
  if (earlier !== undefined) return { path: realpathSync.native(file), earlier };
  const folder = realpathSync.native(dirname(file));
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? resolveTarget(resolve(folder, readlinkSync(file)))
    : { path: join(folder, basename(file)), earlier };
};

/** Whether two names stand for one file, by any link. */
const isSameTarget = (one: Target, other: Target): boolean =>
  one.path === other.path ||
  (one.earlier !== undefined &&
    one.earlier.ino === other.earlier?.ino &&
    one.earlier.dev === other.earlier.dev);

/** The same of a file that is to be written: throws for a pipe, a device and the files of the database itself. */
export const resolveFreeTarget = (file: string, databaseFiles: ReadonlyArray<string>): Target => {
  const target = resolveTarget(file);
  if (target.earlier?.isFile() === false) {
    throw new Error(`${file} is no regular file: write to standard output instead`);
  }
  if (databaseFiles.some((databaseFile) => isSameTarget(target, resolveTarget(databaseFile)))) {
    throw new Error(`${file} is the database itself`);
  }
  return target;
};
