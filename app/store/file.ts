import { accessSync, constants, existsSync, readFileSync, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import {
  isMountPoint,
  logNameAdvice,
  lostFileAdvice,
  readOnlyAdvice,
  resolveSymlink,
} from '../../adapters/knex';
import { errorCode } from '../error-code';
import { type Finding, notInitialized, type Opening, passed, unusable, warned } from './opening';

/** Returns the name of a user, or a text with the id if the user has no name in /etc/passwd. */
const userName = (uid: number): string => {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  const [name] = users.map((line) => line.split(':')).find(([, , id]) => id === String(uid)) ?? [];
  return name ?? `the user ${uid}`;
};

export const currentUser = (): string => {
  const uid = process.getuid?.();
  return uid === undefined ? 'an unknown user' : userName(uid);
};

/**
 * Returns the metadata of a path. Returns undefined if it does not exist, or if this user may not search its folder.
 */
const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

/**
 * Returns the name of the user who owns a path. The file may be gone, because SQLite deletes its log when the database
 * is closed.
 */
const ownerOf = (path: string): string => {
  const uid = statsOf(path)?.uid;
  return uid === undefined ? 'nobody any more' : userName(uid);
};

/** Returns advice if this process lacks the access `mode` to a path that exists. `use` is the access in words. */
const accessAdvice = (path: string, mode: number, use: string): string | undefined => {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    switch (errorCode(error)) {
      case 'ENOENT':
        return undefined;
      case 'EROFS':
        return readOnlyAdvice(path);
      default:
        return `let this user ${use} ${path}, which belongs to ${ownerOf(path)}`;
    }
  }
};

/** Returns advice if this user may not search one of the folders above the path. */
const searchAdvice = (path: string): string | undefined => {
  const folder = dirname(path);
  if (folder === path) return undefined;
  const isFolder = statsOf(folder)?.isDirectory() === true;
  return (
    searchAdvice(folder) ?? (isFolder ? accessAdvice(folder, constants.X_OK, 'search the folder') : undefined)
  );
};

/** Returns advice if this process can't read a database file or, unless `isReader`, can't write it. */
export const fileAdvice = (filename: string, isReader = false): string | undefined => {
  const search = searchAdvice(resolve(filename));
  if (search !== undefined) return search;
  const file = resolveSymlink(resolve(filename));
  const logName = logNameAdvice(file);
  if (logName !== undefined) return logName;
  const folder = dirname(file);
  const folderStats = statsOf(folder);
  if (folderStats === undefined) return `create the folder ${folder}`;
  if (!folderStats.isDirectory()) return `${folder} is a file; name a file in a folder`;
  const [mode, use] = isReader
    ? [constants.R_OK, 'read']
    : [constants.R_OK | constants.W_OK, 'read and write'];
  if (!isReader) {
    const advice = accessAdvice(folder, constants.W_OK | constants.X_OK, 'write in the folder');
    if (advice !== undefined) return advice;
  }
  const found = statsOf(file);
  if (found === undefined) return lostFileAdvice(file);
  if (found.isDirectory()) return 'it is a folder; name a file in it';
  if (!found.isFile()) return 'it is not a regular file; name another file';
  return [file, `${file}-wal`, `${file}-shm`]
    .map((path) => accessAdvice(path, mode, use))
    .find((advice) => advice !== undefined);
};

/** Reports whether a database file is missing or empty. */
const isMissing = (filename: string): boolean => (statsOf(filename)?.size ?? 0) === 0;

const requireAccess = (filename: string, isReader: boolean): void => {
  const advice = fileAdvice(filename, isReader);
  if (advice !== undefined) throw unusable(advice);
};

/** Throws if a database file is missing, or if this process can't read it. */
export const requireReadable = (filename: string): void => {
  requireAccess(filename, true);
  if (isMissing(filename)) throw notInitialized();
};

const foreignPath = (filename: string, uid: number): string | undefined => {
  const file = resolve(filename);
  // Does not check the folder of an own file, because a volume of Kubernetes belongs to root.
  if (uid !== 0 && statsOf(file)?.uid === uid) return undefined;
  return [file, dirname(file)].find((path) => (statsOf(path)?.uid ?? uid) !== uid);
};

/**
 * Warns if the database file belongs to another user, because the other steps then prove nothing about the user of the
 * service. For root or a missing file, also checks the folder.
 */
export const checkUser = ({ settings: { DATABASE_URL: url } }: Opening): ReadonlyArray<Finding> => {
  const uid = process.getuid?.();
  const user = `this command runs as ${currentUser()}`;
  const foreign = uid === undefined || url._tag !== 'Sqlite' ? undefined : foreignPath(url.filename, uid);
  if (foreign === undefined) return [passed('user', user)];
  const advice = 'run it as the user of the service, who must be able to write both';
  return [warned('user', `${user}, but ${foreign} belongs to ${ownerOf(foreign)}; ${advice}`)];
};

export const checkFile = (opening: Opening): ReadonlyArray<Finding> => {
  const { settings, mayCreate, purpose } = opening;
  const { DATABASE_URL: url } = settings;
  if (url._tag !== 'Sqlite') return [];
  requireAccess(url.filename, purpose === 'read');
  if (!isMissing(url.filename)) {
    const usable = passed('file', `${url.filename} can be read and written`);
    const names = statsOf(resolveSymlink(url.filename))?.nlink ?? 1;
    if (names < 2) return [usable];
    const fault = `${url.filename} is one of ${names} names (hard links) of its file; programs that use different names have different logs, and lose each other's animals; keep one name`;
    return [usable, warned('file', fault)];
  }
  opening.lacksStore = true;
  if (!mayCreate) throw notInitialized();
  return [passed('file', `${url.filename} does not exist yet; the first start creates it`)];
};

/**
 * Warns if a container mounts a database file without its folder, because its log is then lost with the container.
 * Fails instead for `serve` and `doctor` in production.
 */
export const checkMount = ({ settings: { DATABASE_URL: url, NODE_ENV }, purpose }: Opening) => {
  if (url._tag !== 'Sqlite' || !isMountPoint(url.filename)) return [];
  const advice = `${url.filename} is mounted without its folder, so its log is lost with the container; mount its folder instead`;
  if (NODE_ENV === 'production' && (purpose === 'serve' || purpose === 'doctor')) throw unusable(advice);
  return [warned('mount', advice)];
};
