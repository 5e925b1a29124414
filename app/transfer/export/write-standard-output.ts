import type { Writable } from 'node:stream';

/** Resolves when the text is taken; rejects with EPIPE when the reader has gone away, and at an interruption. */
const write = (output: Writable, text: string | Uint8Array, interruption: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    interruption.throwIfAborted();
    const giveUp = (): void => {
      reject(new Error('interrupted'));
    };
    interruption.addEventListener('abort', giveUp);
    output.write(text, (error) => {
      interruption.removeEventListener('abort', giveUp);
      if (error) reject(error);
      else resolve();
    });
  });

/** A reader that has stalled doesn't hold an interruption up. */
export const writeStandardOutput =
  (output: Writable) =>
  async (texts: AsyncIterable<string | Uint8Array>, interruption: AbortSignal): Promise<void> => {
    for await (const text of texts) await write(output, text, interruption);
  };
