/* Rights on a database file, and the logs of SQLite next to it. */

import { constants, existsSync, statSync } from 'node:fs';
import { DiagnosedError } from '../database/errors';
import { accessRefusal, resolveSymlink } from '../../files/paths';
import { createPrivateFile } from '../../files/private-file';

/** Endings of the names of the write-ahead log and of its index, which exist while a database in WAL mode is open. */
export const walEndings = ['-wal', '-shm'] as const;

/** Endings of the names of all logs. A rollback journal exists only during a transaction outside WAL mode. */
export const logEndings = [...walEndings, '-journal'] as const;

/** Endings of the logs that a file needs after a crash. The index of a write-ahead log can be made again. */
const neededEndings = ['-wal', '-journal'] as const;

/** False also for a file that this user may not see. */
const isFilled = (file: string): boolean => {
  try {
    return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
  } catch {
    return false;
  }
};

/**
 * Returns what to do if a database file is missing but its log is there, which may have the only copy of acknowledged
 * animals. SQLite would delete the log next to a new file.
 */
export const lostFileAdvice = (filename: string): string | undefined => {
  const path = resolveSymlink(filename);
  const log = `${path}-wal`;
  if (existsSync(path) || !isFilled(log)) return undefined;
  return `${path} is missing, but its log ${log} is there, and may have acknowledged animals: put the file back next to it; if the file is lost, move the log away and restore a backup`;
};

/** Creates a missing database file, as `createPrivateFile` does. Throws if the log of a lost database is next to it. */
export const createDatabaseFile = (filename: string): void => {
  const advice = lostFileAdvice(filename);
  if (advice !== undefined) throw new DiagnosedError(advice);
  createPrivateFile(filename);
};

/** Returns advice for a path that SQLite uses as a log of an existing file, and would delete. */
export const logNameAdvice = (path: string): string | undefined =>
  logEndings.some((ending) => path.endsWith(ending) && existsSync(path.slice(0, -ending.length)))
    ? `${path} is the name of a log of SQLite; name another file`
    : undefined;

/**
 * True if a write-ahead log or journal is next to the file. Then a process has the file open, or ended without closing
 * it.
 */
export const isInUse = (filename: string): boolean =>
  neededEndings.some((ending) => existsSync(`${resolveSymlink(filename)}${ending}`));

/** True if nothing can change the file: its file system is mounted read-only, and no process has the file open. */
export const isImmutable = (filename: string): boolean =>
  !isInUse(filename) && accessRefusal(resolveSymlink(filename), constants.W_OK) === 'EROFS';

export const readOnlyText = (path: string): string => `${path} is on a file system that is read-only here`;

/**
 * Throws if the user of this process may not write a database that no process has open. SQLite would create a
 * write-ahead log that belongs to this user, and the service could not write the log.
 */
export const refuseReadOnlyUser = (filename: string): void => {
  const file = resolveSymlink(filename);
  if (!existsSync(file) || walEndings.every((ending) => existsSync(`${file}${ending}`))) return;
  const refusal = accessRefusal(file, constants.W_OK);
  if (refusal === undefined || refusal === 'ENOENT') return;
  if (refusal === 'EROFS') throw new DiagnosedError(readOnlyText(file), 'ReadOnlyFileSystem');
  throw new DiagnosedError(
    `this user may only read ${file}, and would leave a log next to it that its owner can't write; run the command as the owner`,
  );
};

/** Creates a missing database file. Throws if this process could read the database, but not write it. */
export const prepareFile = (filename: string): void => {
  createDatabaseFile(filename);
  refuseReadOnlyUser(filename);
};
