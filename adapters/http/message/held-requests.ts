import type { IncomingMessage } from 'node:http';

/** Times in milliseconds for which the HTTP server has held requests. Their deadlines include this time. */
export const heldRequestsMs = new WeakMap<IncomingMessage, number>();
