import { pipeline } from 'node:stream/promises';
import type { WriteTexts } from './write-texts';

const flushed = (): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write('', (error) => {
      if (error) reject(error);
      else resolve();
    });
  });

/** Rejects with EPIPE when the reader has gone away. */
export const writeStandardOutput: WriteTexts = async (texts, signal) => {
  process.stdout.on('error', () => undefined);
  await pipeline(texts, process.stdout, { signal, end: false });
  await flushed();
};
