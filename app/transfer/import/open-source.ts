import { constants, createReadStream, fstat, open, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { addAbortSignal } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';

const standardInput = 0;

/** A pipe that nobody writes to yet would keep the opening waiting, and with it a thread and the end of the process. */
const openFile = (file: string): Promise<number> =>
  promisify(open)(file, constants.O_RDONLY | constants.O_NONBLOCK);

/** What may keep a reader waiting is read as the stream that it is, which an interruption can end. */
const streamOf = (fd: number, stats: Stats): Readable => {
  if (isatty(fd)) return new ReadStream(fd);
  return stats.isFIFO() || stats.isSocket()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd });
};

/** Opens a file, or standard input for `-`. Its chunks throw once it is interrupted. */
export const openSource = async (file: string, interruption: AbortSignal) => {
  interruption.throwIfAborted();
  const fd = file === '-' ? standardInput : await openFile(file);
  const stats = await promisify(fstat)(fd);
  const stream = streamOf(fd, stats);
  // An interruption before the first read has nobody else to tell: the read then throws it.
  stream.on('error', () => undefined);
  const chunks: AsyncIterable<Uint8Array> = addAbortSignal(interruption, stream);
  let read = 0;

  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      read += chunk.length;
      yield chunk;
    }
  }

  return {
    chunks: counted(),
    /** How much of it has been read, from 0 to 1, where its size is known. */
    fraction: () => (stats.isFile() && stats.size > 0 ? Math.min(read / stats.size, 1) : undefined),
    close: (): void => {
      stream.destroy();
    },
  };
};
