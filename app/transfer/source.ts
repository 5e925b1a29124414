import { constants, createReadStream, fstat, open, type Stats } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';

const standardInput = 0;

/** Uses O_NONBLOCK: opening a pipe without a writer blocks a thread, and the process could not exit. */
const openFile = (file: string): Promise<number> =>
  promisify(open)(file, constants.O_RDONLY | constants.O_NONBLOCK);

/** Picks a stream type by the kind of file, because a pending file read can't be aborted. */
const streamOf = (fd: number, stats: Stats): Readable => {
  if (isatty(fd)) return new ReadStream(fd);
  return stats.isFIFO() || stats.isSocket()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd });
};

/** Opens a file, or standard input for `-`. Reading the chunks throws after an interruption. */
export const openSource = async (file: string, interruption: AbortSignal) => {
  interruption.throwIfAborted();
  const fd = file === '-' ? standardInput : await openFile(file);
  const stats = await promisify(fstat)(fd);
  const stream = streamOf(fd, stats);
  // An abort before the first read would be an unhandled error event. The first read throws it.
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
    fraction: () => (stats.isFile() && stats.size > 0 ? Math.min(read / stats.size, 1) : undefined),
    close: (): void => {
      stream.destroy();
    },
  };
};
