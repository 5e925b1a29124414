import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeWhole } from '../../terminal/write-whole';

/**
 * Writes texts one behind the other, each once the one before it is taken. Rejects with EPIPE when the reader has gone
 * away, and at an interruption, which a reader that has stalled doesn't hold up.
 */
export const writeStandardOutput =
  (output: Writable) =>
  (texts: AsyncIterable<string | Uint8Array>, interruption: AbortSignal): Promise<void> => {
    // Standard output itself must not be ended: what a command has to say of its end comes after it.
    const sink = new Writable({
      highWaterMark: 1,
      decodeStrings: false,
      write: (data: string | Uint8Array, _encoding, done) => {
        writeWhole(output, data).then(() => {
          done();
        }, done);
      },
    });
    return pipeline(texts, sink, { signal: interruption });
  };
