import { lstatSync, statSync } from 'node:fs';
import { isInUse, isSqlite, logNameAdvice } from '../../adapters/knex';
import { followSymlinks, isSameFile } from '../../adapters/files/paths';

/**
 * Resolves symbolic links. Throws if another user than root owns one of the links, because that user could choose the
 * file to replace.
 */
const followOwnLinks = (target: string): string => {
  const { links, path } = followSymlinks(target);
  const trusted = [0, process.getuid?.()];
  const foreign = links.find((link) => !trusted.includes(lstatSync(link).uid));
  if (foreign !== undefined)
    throw new Error(`${foreign} is a symbolic link of another user; name the file itself`);
  return path;
};

export interface TargetOptions {
  /** True if the command may replace a file that exists. Undefined if the command has no option `--replace`. */
  readonly mayReplace?: boolean;
  /** SQLite file of the store, which no command may replace. */
  readonly database?: string | undefined;
  /** True if the command writes a SQLite database, which may then replace another one that is not in use. */
  readonly isDatabase?: boolean;
}

/** Throws if a command may not write a file. Otherwise resolves its symbolic links. */
export const resolveTarget = (
  target: string,
  { mayReplace, database, isDatabase = false }: TargetOptions,
): string => {
  const file = followOwnLinks(target);
  const found = statSync(file, { throwIfNoEntry: false });
  const advice = logNameAdvice(file);
  if (advice !== undefined) throw new Error(advice);
  if (found === undefined) return file;
  if (!found.isFile()) throw new Error(`${file} is not a regular file; name another file`);
  if (database !== undefined && isSameFile(file, database))
    throw new Error(`${file} is the database itself; name another file`);
  if (isInUse(file))
    throw new Error(`${file} is a database that is in use or was not closed; name another file`);
  // `isSqlite` closes the file, which releases all locks of this process on it. So the checks above come first, and
  // refuse a database that this process has open.
  if (!isDatabase && isSqlite(file)) throw new Error(`${file} is a SQLite database; name another file`);
  if (mayReplace === true) return file;
  const remedy = mayReplace === undefined ? '' : ', or replace it with --replace';
  throw new Error(`${file} exists; name another file${remedy}`);
};
