import type { IncomingMessage } from 'node:http';

/** Bytes of a refused body that are read and thrown away, so that its sender gets to read the answer. */
const patience = 16_777_216;

/** Lets a sender finish a body that nobody wants; one that goes on for too long is cut off. */
export const discardRest = (request: IncomingMessage): void => {
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > patience) request.destroy();
  });
  request.resume();
};
