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

/** Endings of the files of a SQLite database (SQLite documentation, "Temporary Files"). */
const databaseEndings = ['', '-wal', '-shm', '-journal'];

/** SQLite follows the links to a database, and keeps its other files beside what they lead to. */
const databaseTargets = (database: string): ReadonlyArray<Target> => {
  const { path } = resolveTarget(database);
  return databaseEndings.map((ending) => resolveTarget(`${path}${ending}`));
};

/** The same of a file that is to be written: throws for a pipe, a device and the files of the database itself. */
export const resolveFreeTarget = (file: string, database: string | undefined): Target => {
  const target = resolveTarget(file);
  if (target.earlier?.isFile() === false) {
    throw new Error(`${file} is no regular file: write to standard output instead`);
  }
  if (database !== undefined && databaseTargets(database).some((other) => isSameTarget(target, other))) {
    throw new Error(`${file} is the database itself`);
  }
  return target;
};
