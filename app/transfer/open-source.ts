import { open } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';

/** Where rows come from. */
interface Source {
  /** Throws once it is interrupted. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** How much of it has been read, from 0 to 1, where its size is known. */
  readonly fraction: () => number | undefined;
  readonly close: () => void;
}

const openStream = async (file: string): Promise<{ readonly stream: Readable; readonly size?: number }> => {
  if (file === '-') return { stream: process.stdin };
  const handle = await open(file);
  const stats = await handle.stat();
  return { stream: handle.createReadStream(), ...(stats.isFile() ? { size: stats.size } : {}) };
};

/** Opens a file, or standard input for `-`. */
export const openSource = async (file: string, interruption: AbortSignal): Promise<Source> => {
  const { stream, size } = await openStream(file);
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
    fraction: () => (size === undefined || size === 0 ? undefined : Math.min(read / size, 1)),
    close: () => {
      stream.destroy();
    },
  };
};
