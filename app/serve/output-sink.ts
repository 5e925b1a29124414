import { write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { fileOf } from '../terminal/write-whole';
import type { Sink } from './block-writer';

/** A reader that has gone doesn't come back: all that is for it counts as taken. */
const streamSink = (stream: Writable): Sink => ({
  take: (block) =>
    new Promise((resolve) => {
      stream.write(block, () => {
        resolve(block.length);
      });
    }),
  takeLast: (block) => {
    stream.write(block);
  },
});

/** A full disk may have room again. */
const fileSink = (file: number): Sink => ({
  take: async (block) => (await promisify(write)(file, block)).bytesWritten,
  takeLast: (block) => {
    try {
      writeSync(file, block);
    } catch {
      // There is no later time to try again.
    }
  },
});

/**
 * Standard output as a sink. A pipe or a terminal is written to as the stream that it is: written as a file it would
 * keep a thread until its reader goes on, and no process ends before its threads.
 */
export const outputSink = (output: Writable): Sink => {
  const file = fileOf(output);
  return file === undefined ? streamSink(output) : fileSink(file);
};
