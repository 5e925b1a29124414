/* Files that commands write: backups, exports and lists of ids. */

import { chmodSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { permanentError } from '../database/errors';
import { toEither } from '../database/work';
import { createPrivateFile, followSymlinks, isInUse, isMountPoint, isSameFile } from './file';

const dayMs = 86_400_000;

const partialName = /\.animal-store-[0-9a-f-]{36}\.partial(-journal)?$/;

/** Deletes partial files older than a day, which killed processes left. Leaves what it may not read or delete. */
const removeStalePartials = (folder: string): void => {
  void toEither(() => {
    for (const name of readdirSync(folder).filter((other) => partialName.test(other)))
      void toEither(() => {
        const path = join(folder, name);
        if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path);
      });
  });
};

/**
 * Creates an empty file next to `file`, which a rename puts in the place of `file` once it is complete. It has the
 * permissions of the file that it replaces, and otherwise only its owner can read it. Its name is random, because
 * killed processes leave files behind, and process ids repeat in containers. Throws if `file` is a mount point, which a
 * rename can't replace.
 */
export const createPartial = (file: string): string => {
  if (isMountPoint(file))
    throw permanentError(`${file} is a mount point, so no file can take its place; mount its folder instead`);
  const folder = dirname(file);
  removeStalePartials(folder);
  const partial = join(folder, `${basename(file)}.animal-store-${randomUUID()}.partial`);
  createPrivateFile(partial);
  const replaced = statSync(file, { throwIfNoEntry: false });
  if (replaced !== undefined) chmodSync(partial, replaced.mode);
  return partial;
};

/** Resolves symbolic links. Throws if another user except root owns one, and so could choose the file to replace. */
const followOwnLinks = (target: string): string => {
  const { links, path } = followSymlinks(target);
  const trusted = [0, process.getuid?.()];
  const foreign = links.find((link) => !trusted.includes(lstatSync(link).uid));
  if (foreign !== undefined)
    throw permanentError(`${foreign} is a symbolic link of another user; name the file itself`);
  return path;
};

const sqliteHeader = 'SQLite format 3';

const isSqlite = async (file: string): Promise<boolean> => {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(sqliteHeader.length) });
    return buffer.toString() === sqliteHeader;
  } finally {
    await handle.close();
  }
};

const logEnding = /-(?:wal|shm|journal)$/;

export interface TargetOptions {
  /** True if the command may replace a file that exists. Undefined if the command has no option `--replace`. */
  readonly mayReplace?: boolean;
  /** SQLite file of the store, which no command may replace. */
  readonly database?: string | undefined;
  /** True if the command writes a SQLite database, which may then replace another one that is not in use. */
  readonly isDatabase?: boolean;
}

/** Throws if a command may not write a file. Otherwise resolves its symbolic links. */
export const resolveTarget = async (
  target: string,
  { mayReplace, database, isDatabase = false }: TargetOptions,
): Promise<string> => {
  const file = followOwnLinks(target);
  const found = statSync(file, { throwIfNoEntry: false });
  if (logEnding.test(file) && statSync(file.replace(logEnding, ''), { throwIfNoEntry: false }) !== undefined)
    throw permanentError(`${file} is the name of a log of SQLite; name another file`);
  if (found === undefined) return file;
  if (!found.isFile()) throw permanentError(`${file} is not a regular file; name another file`);
  if (database !== undefined && isSameFile(file, database))
    throw permanentError(`${file} is the database itself; name another file`);
  if (isInUse(file))
    throw permanentError(`${file} is a database that is in use or was not closed; name another file`);
  // The checks above keep databases of this process out. Closing one here would release the locks of the process on it.
  if (!isDatabase && (await isSqlite(file)))
    throw permanentError(`${file} is a SQLite database; name another file`);
  if (mayReplace === true) return file;
  const remedy = mayReplace === undefined ? '' : ', or replace it with --replace';
  throw permanentError(`${file} exists; name another file${remedy}`);
};
