import {
  accessSync,
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { exceptionCode } from '../failures/exception-code';

const maxLinks = 40;

/** Follows a path through its symbolic links. Returns the links and the path at their end, which may not exist. */
export const followSymlinks = (filename: string) => {
  const links: Array<string> = [];
  let path = filename;
  while (links.length < maxLinks && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    links.push(path);
    path = resolve(realpathSync(dirname(path)), readlinkSync(path));
  }
  return { links, path };
};

/** Resolves symbolic links, because SQLite puts its WAL file next to the target. Returns `filename` on errors. */
export const resolveSymlink = (filename: string): string => {
  try {
    return existsSync(filename) ? realpathSync(filename) : followSymlinks(filename).path;
  } catch {
    return filename;
  }
};

/** Returns the stats of a path, or undefined if it does not exist or this user may not search its folder. */
export const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

export const isSameFile = (first: string, second: string): boolean => {
  const [stats, otherStats] = [first, second].map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats !== undefined && stats.dev === otherStats?.dev && stats.ino === otherStats.ino;
};

export const fileStartsWith = (filename: string, text: string): boolean => {
  const bytes = Buffer.alloc(text.length);
  const file = openSync(filename, 'r');
  try {
    readSync(file, bytes, 0, text.length, 0);
  } finally {
    closeSync(file);
  }
  return bytes.toString('latin1') === text;
};

/** True if the file itself is mounted, as by a container volume that names the file. Always false outside Linux. */
export const isMountPoint = (filename: string): boolean => {
  const mounts = '/proc/self/mountinfo';
  if (!existsSync(mounts)) return false;
  const file = resolveSymlink(resolve(filename));
  // Reads the mount point from the fifth field, in which `\040` stands for a space (proc_pid_mountinfo(5)).
  return readFileSync(mounts, 'utf8')
    .split('\n')
    .some((line) => line.split(' ')[4]?.replaceAll('\\040', ' ') === file);
};

/** Returns the code of the error, such as EACCES, if this process lacks the access `mode` to a path. */
export const accessRefusal = (path: string, mode: number): string | undefined => {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return exceptionCode(error);
  }
};
