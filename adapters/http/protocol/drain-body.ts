import type { IncomingMessage } from 'node:http';
import { maxDiscardedBytes } from './limits';

/** Lets a sender finish a body that nobody wants; one that goes on for too long is cut off. */
export const drainBody = (message: IncomingMessage): void => {
  let discarded = 0;
  message.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) message.destroy();
  });
  message.resume();
};
