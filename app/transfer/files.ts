import { chmodSync, createReadStream, createWriteStream, lstatSync, type Stats } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { addAbortSignal, type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createPrivateFile, partialFileFor } from '../../adapters/knex';
import { writeFully } from '../terminal/terminal';

const sqliteHeader = 'SQLite format 3';

/** Opens a file, or standard input for `-`. A read fails once the signal is aborted. */
export const openSource = (file: string, signal: AbortSignal): Readable => {
  const source = addAbortSignal(signal, file === '-' ? process.stdin : createReadStream(file));
  // Without a listener, an error before the first read would end the process. The read throws the error as well.
  return source.on('error', () => undefined);
};

/** Returns the stats of the file to replace, or undefined if none exists. Throws if it must not be replaced. */
const fileToReplace = async (file: string, mayReplace: boolean): Promise<Stats | undefined> => {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if (!found.isFile())
    throw new Error(`${file} is not a regular file; name another file, or - for standard output`);
  if ((await text(createReadStream(file, { end: sqliteHeader.length - 1 }))) === sqliteHeader)
    throw new Error(`${file} is a SQLite database; name another file`);
  if (!mayReplace) throw new Error(`${file} exists; name another file, or replace it with --replace`);
  return found;
};

/**
 * Writes a temporary file in the same folder, flushes it to the disk and renames it. A failure leaves the earlier file
 * unchanged. A new file can be read only by its owner. A replaced file keeps its permissions.
 */
export const writeFile = async (
  file: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
  mayReplace: boolean,
): Promise<void> => {
  const replaced = await fileToReplace(file, mayReplace);
  const partial = partialFileFor(file);
  try {
    createPrivateFile(partial);
    if (replaced !== undefined) chmodSync(partial, replaced.mode);
    await pipeline(texts, createWriteStream(partial, { flags: 'r+', flush: true }), { signal });
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
};

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
