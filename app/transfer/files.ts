import { createReadStream, createWriteStream, type Stats } from 'node:fs';
import { lstat, open, rename, rm, stat } from 'node:fs/promises';
import { addAbortSignal, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { partialFileFor } from '../../adapters/knex';
import { errorCode } from '../error-code';
import { writeFully } from '../terminal/terminal';

/** Opens the file that commands/import.ts reads, or standard input for `-`. */
export const openSource = async (file: string, interruption: AbortSignal) => {
  const size = file === '-' ? 0 : (await stat(file)).size;
  const stream = file === '-' ? process.stdin : createReadStream(file);
  // Prevents an unhandled error event if `interruption` is already aborted. The first read then throws the error.
  stream.on('error', () => undefined);
  const chunks: AsyncIterable<Uint8Array> = addAbortSignal(interruption, stream);
  return {
    chunks,
    fraction: () => (size > 0 ? Math.min(stream.bytesRead / size, 1) : undefined),
    close: (): void => {
      stream.destroy();
    },
  };
};

const sqliteHeader = 'SQLite format 3\0';

const startsAsDatabase = async (file: string): Promise<boolean> => {
  const handle = await open(file);
  try {
    const head = Buffer.alloc(sqliteHeader.length);
    await handle.read(head, 0, head.length, 0);
    return head.toString('latin1') === sqliteHeader;
  } finally {
    await handle.close();
  }
};

const findFile = (file: string): Promise<Stats | undefined> =>
  lstat(file).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });

const refuseToReplace = async (file: string): Promise<void> => {
  const found = await findFile(file);
  if (found === undefined) return;
  if (!found.isFile())
    throw new Error(`${file} is not a regular file; name another file, or - for standard output`);
  if (await startsAsDatabase(file)) throw new Error(`${file} is a SQLite database; name another file`);
};

/**
 * Writes a temporary file in the same folder, flushes it to the disk and renames it; commands/export.ts calls it. A
 * failure leaves the earlier file unchanged.
 */
export const writeFile = async (
  file: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  await refuseToReplace(file);
  const partial = partialFileFor(file);
  try {
    await pipeline(texts, createWriteStream(partial, { flags: 'wx', flush: true }), { signal });
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
    highWaterMark: 1,
    decodeStrings: false,
    write: (data: string, _encoding, done) => {
      writeFully(output, data).then(() => {
        done();
      }, done);
    },
  });
  return pipeline(texts, sink, { signal });
};
