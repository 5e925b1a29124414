/* Files that commands read and write. */

import { createReadStream, createWriteStream, lstatSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addAbortSignal, type Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeAtomically } from '../../adapters/files/partial';
import { followSymlinks, isSameFile } from '../../adapters/files/paths';
import { replacementFault } from '../../adapters/knex';
import { writeFully } from '../terminal/terminal';

/** Opens a file, or standard input for `-`. A read fails once the signal is aborted. */
export const openSource = (file: string, signal: AbortSignal): Readable => {
  const source = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  // Adds a listener, because an error before the first read would otherwise end the process. Reads throw it too.
  return source.on('error', () => undefined);
};

/** Writes a file. A failure leaves the file unchanged. */
export const replaceFile = async (
  target: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
  options: OutputFileOptions,
): Promise<void> =>
  writeAtomically(resolveOutputFile(target, options), (partial) =>
    pipeline(texts, createWriteStream(partial, { flags: 'r+' }), { signal }),
  );

export const writeStandardOutput = (
  output: Writable,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  // Wraps standard output, because `pipeline` ends its last stream, and standard output must stay open.
  const sink = new Writable({
    objectMode: true,
    write: (text: string, _encoding, done) => {
      void writeFully(output, text).then(() => {
        done();
      }, done);
    },
  });
  return pipeline(texts, sink, { signal });
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

/** Calls `use` with a new folder that only this user can read, and removes the folder afterwards. */
export const withTemporaryFolder = async <A>(use: (folder: string) => Promise<A>): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'animal-store-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
