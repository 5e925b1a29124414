import { constants, statSync, type Stats } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { logNameAdvice, lostFileAdvice, readOnlyText, walEndings } from '../../adapters/knex';
import { accessRefusal, resolveSymlink } from '../../adapters/files/paths';
import { userName } from './user';

/**
 * Returns the metadata of a path. Returns undefined if it does not exist, or if this user may not search its folder.
 */
export const statsOf = (path: string): Stats | undefined => {
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
export const ownerOf = (path: string): string => {
  const uid = statsOf(path)?.uid;
  return uid === undefined ? 'nobody any more' : userName(uid);
};

export const readOnlyAdvice =
  'mount it so that it can be written, or add its folder to ReadWritePaths of the systemd unit';

/** Returns advice if this process lacks the access `mode` to a path that exists. `use` is the access in words. */
const accessAdvice = (path: string, mode: number, use: string): string | undefined => {
  switch (accessRefusal(path, mode)) {
    case undefined:
    case 'ENOENT':
      return undefined;
    case 'EROFS':
      return `${readOnlyText(path)}; ${readOnlyAdvice}`;
    default:
      return `let this user ${use} ${path}, which belongs to ${ownerOf(path)}`;
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
  return ['', ...walEndings]
    .map((ending) => `${file}${ending}`)
    .map((path) => accessAdvice(path, mode, use))
    .find((advice) => advice !== undefined);
};
