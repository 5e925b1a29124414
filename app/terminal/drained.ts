import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** In bytes: what a reader that has stalled may keep waiting. */
const maxWaiting = 4_194_304;

/** Resolves when not too much waits for who reads a stream, or nobody does any more; rejects at an interruption. */
export const drained = async (output: Writable, interruption: AbortSignal): Promise<void> => {
  if (!output.writableNeedDrain || output.writableLength < maxWaiting) return;
  await once(output, 'drain', { signal: interruption }).catch(() => {
    interruption.throwIfAborted();
  });
};
