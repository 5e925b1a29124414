import { setTimeout as delay } from 'node:timers/promises';

/** Where blocks of text go. */
export interface Sink {
  /** Resolves with how many bytes it has taken, from the first on. Rejects where it can take none for the moment. */
  readonly take: (block: Buffer) => Promise<number>;
  /** Takes what it can without waiting: the process ends. Never throws. */
  readonly takeLast: (block: Buffer) => void;
}

/** Gathers lines, and hands them on in blocks. No line waits for a sink, and none throws. */
interface BlockWriter {
  readonly write: (line: string) => void;
  /** Hands on what waits without waiting for any of it. */
  readonly flushAtExit: () => void;
  /** Resolves when the sink has all of it, or after so many milliseconds without. */
  readonly close: (timeoutMs: number) => Promise<void>;
}

/** In bytes: many lines go out in one write. */
const blockSize = 65_536;

/** In milliseconds: how long a line waits for others, and a block that wasn't taken for the next attempt. */
const interval = 100;

/** In bytes: what a sink that has stalled may keep waiting. Further lines are dropped. */
const maxWaiting = 16_777_216;

/** pino's own destination tries for ever, at the end of the process too, where a disk is full or a reader stalls. */
export const blockWriter = (sink: Sink): BlockWriter => {
  // Lines that wait as one string would be copied whole for each line more.
  let lines: Array<Buffer> = [];
  let waiting = 0;
  let untaken = 0;
  let isClosing = false;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const nextBlock = (): Buffer => {
    const block = Buffer.concat(lines);
    lines = [];
    waiting = 0;
    return block;
  };

  const hand = async (block: Buffer): Promise<void> => {
    for (let rest = block; rest.length > 0;) {
      try {
        const taken = await sink.take(rest);
        rest = rest.subarray(taken);
        untaken -= taken;
      } catch {
        await delay(interval);
      }
    }
  };

  const handAll = async (): Promise<void> => {
    do await hand(nextBlock());
    while (waiting >= blockSize || (isClosing && waiting > 0));
    writing = undefined;
    if (waiting > 0) schedule();
  };

  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= handAll();
  };

  const schedule = (): void => {
    timer ??= setTimeout(flush, interval);
  };

  return {
    write: (line) => {
      const bytes = Buffer.from(line);
      if (untaken + bytes.length > maxWaiting) return;
      lines.push(bytes);
      waiting += bytes.length;
      untaken += bytes.length;
      if (waiting >= blockSize) flush();
      else if (writing === undefined) schedule();
    },
    flushAtExit: () => {
      sink.takeLast(nextBlock());
    },
    close: async (timeoutMs) => {
      isClosing = true;
      flush();
      await Promise.race([writing, delay(timeoutMs)]);
    },
  };
};
