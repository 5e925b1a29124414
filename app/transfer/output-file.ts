import { lstatSync, statSync } from 'node:fs';
import { replacementFault } from '../../adapters/knex';
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

export interface OutputFileOptions {
  /** True if the command may replace a file that exists. Undefined if the command has no option `--replace`. */
  readonly mayReplace?: boolean;
  /** SQLite file of the store, which no command may replace. */
  readonly database?: string | undefined;
  /** True if the command writes a SQLite database, which may then replace another one that is not in use. */
  readonly isDatabase?: boolean;
}

/** Throws if a command may not write a file. Otherwise resolves its symbolic links. */
export const resolveOutputFile = (
  target: string,
  { mayReplace, database, isDatabase = false }: OutputFileOptions,
): string => {
  const file = followOwnLinks(target);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === false) throw new Error(`${file} is not a regular file; name another file`);
  if (database !== undefined && isSameFile(file, database))
    throw new Error(`${file} is the database itself; name another file`);
  const fault = replacementFault(file, isDatabase);
  if (fault !== undefined) throw new Error(fault);
  if (stats === undefined || mayReplace === true) return file;
  const remedy = mayReplace === undefined ? '' : ', or replace it with --replace';
  throw new Error(`${file} exists; name another file${remedy}`);
};
