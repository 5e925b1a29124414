/*
 * Facts about a database file, by its path. They tell which logs are next to it, whether it is in use, and why this
 * process can't use it.
 */

import { constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DiagnosedError } from '../database/errors';
import { accessRefusal, fileStartsWith, resolveSymlink, statsOf } from '../../files/paths';
import { createPrivateFile } from '../../files/private-file';

/** Endings of the names of the write-ahead log and of its index, which exist while a database in WAL mode is open. */
export const walEndings = ['-wal', '-shm'] as const;

/** Endings of the names of all logs. A rollback journal exists only during a transaction outside WAL mode. */
export const logEndings = [...walEndings, '-journal'] as const;

/** Endings of the logs that a file needs after a crash. `-shm` is not one, because SQLite makes that index again. */
const neededEndings = ['-wal', '-journal'] as const;

export const isSqlite = (path: string): boolean =>
  existsSync(path) && fileStartsWith(path, 'SQLite format 3');

/**
 * True if a write-ahead log or journal is next to the file. Then a process has the file open, or ended without closing
 * it.
 */
export const isInUse = (filename: string): boolean =>
  neededEndings.some((ending) => existsSync(`${resolveSymlink(filename)}${ending}`));

/** True if nothing can change the file: its file system is mounted read-only, and no process has the file open. */
export const isImmutable = (filename: string): boolean =>
  !isInUse(filename) && accessRefusal(resolveSymlink(filename), constants.W_OK) === 'EROFS';

/** Fault that keeps this process from using a database file. `neededAccess` is in words, such as `read and write`. */
export type FileFault =
  | { readonly _tag: 'NoAccess'; readonly path: string; readonly neededAccess: string }
  | { readonly _tag: 'ReadOnlyFileSystem'; readonly text: string }
  | { readonly _tag: 'WrongPath'; readonly text: string };

const wrongPath = (text: string): FileFault => ({ _tag: 'WrongPath', text });

/** Finds out whether this process lacks access to a database file, or whether no database can be at its path. */
export const findFileFault = (filename: string, use: 'read' | 'write'): FileFault | undefined => {
  const searchFault = findSearchFault(resolve(filename));
  if (searchFault !== undefined) return searchFault;
  const file = resolveSymlink(resolve(filename));
  if (isLogName(file)) return wrongPath(logNameText(file));
  const folder = dirname(file);
  const folderStats = statsOf(folder);
  if (folderStats === undefined) return wrongPath(`create the folder ${folder}`);
  if (!folderStats.isDirectory()) return wrongPath(`${folder} is a file; name a file in a folder`);
  if (use === 'write') {
    const fault = findAccessFault(folder, constants.W_OK | constants.X_OK, 'write in the folder');
    if (fault !== undefined) return fault;
  }
  const stats = statsOf(file);
  if (stats === undefined) return isLost(file) ? wrongPath(lostFileText(file)) : undefined;
  if (stats.isDirectory()) return wrongPath('it is a folder; name a file in it');
  if (!stats.isFile()) return wrongPath('it is not a regular file; name another file');
  return ['', ...walEndings]
    .map((ending) =>
      use === 'read'
        ? findAccessFault(`${file}${ending}`, constants.R_OK, 'read')
        : findAccessFault(`${file}${ending}`, constants.R_OK | constants.W_OK, 'read and write'),
    )
    .find((fault) => fault !== undefined);
};

const findSearchFault = (path: string): FileFault | undefined => {
  const folder = dirname(path);
  if (folder === path) return undefined;
  const isFolder = statsOf(folder)?.isDirectory() === true;
  return (
    findSearchFault(folder) ??
    (isFolder ? findAccessFault(folder, constants.X_OK, 'search the folder') : undefined)
  );
};

const findAccessFault = (path: string, mode: number, neededAccess: string): FileFault | undefined => {
  switch (accessRefusal(path, mode)) {
    case undefined:
    case 'ENOENT':
      return undefined;
    case 'EROFS':
      return { _tag: 'ReadOnlyFileSystem', text: `${path} is on a file system that is read-only here` };
    default:
      return { _tag: 'NoAccess', path, neededAccess };
  }
};

/** True for a path that SQLite uses as a log of an existing file, and would delete. */
const isLogName = (path: string): boolean =>
  logEndings.some((ending) => path.endsWith(ending) && existsSync(path.slice(0, -ending.length)));

const logNameText = (path: string): string => `${path} is the name of a log of SQLite; name another file`;

/**
 * True if a database file is missing but its write-ahead log exists, which may have the only copy of acknowledged
 * animals. SQLite would delete this log if it created a new file.
 */
const isLost = (path: string): boolean => !existsSync(path) && (statsOf(`${path}-wal`)?.size ?? 0) > 0;

const lostFileText = (path: string): string =>
  `${path} is missing, but its log ${path}-wal is there, and may have acknowledged animals: put the file back next to it; if the file is lost, move the log away and restore a backup`;

/**
 * Returns why no command may write a file with this path, or undefined. `mayBeDatabase` is true if the command may
 * replace a database that is not in use.
 */
export const replacementFault = (path: string, mayBeDatabase: boolean): string | undefined => {
  if (isLogName(path)) return logNameText(path);
  if (isLost(path)) return lostFileText(path);
  if (isInUse(path)) return `${path} is a database that is in use or was not closed; name another file`;
  // Calls `isSqlite` only after `isInUse`, because `isSqlite` opens and closes the file. This would release the locks
  // of this process on a database that it has open.
  return !mayBeDatabase && isSqlite(path) ? `${path} is a SQLite database; name another file` : undefined;
};

/** Creates a missing database file, by `createPrivateFile`. Throws if the write-ahead log of a lost database exists. */
export const createDatabaseFile = (filename: string): void => {
  const path = resolveSymlink(filename);
  if (isLost(path)) throw new DiagnosedError(lostFileText(path));
  createPrivateFile(filename);
};

/**
 * Throws if the user of this process may not write a database that no process has open. SQLite would create a
 * write-ahead log that belongs to this user, and the service could not write the log.
 */
export const refuseReadOnlyUser = (filename: string): void => {
  const file = resolveSymlink(filename);
  if (!existsSync(file) || walEndings.every((ending) => existsSync(`${file}${ending}`))) return;
  const fault = findAccessFault(file, constants.W_OK, 'write');
  if (fault === undefined) return;
  if (fault._tag === 'ReadOnlyFileSystem') throw new DiagnosedError(fault.text, fault._tag);
  throw new DiagnosedError(
    `this user may only read ${file}, and would leave a log next to it that its owner can't write; run the command as the owner`,
  );
};

/** Creates a missing database file. Throws if this process could read the database, but not write it. */
export const prepareFile = (filename: string): void => {
  createDatabaseFile(filename);
  refuseReadOnlyUser(filename);
};
