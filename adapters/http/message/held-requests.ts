import type { IncomingMessage } from 'node:http';

/** Times in milliseconds for which `RequestQueue` has held requests. `RequestDeadline` subtracts this time. */
export const heldRequestsMs = new WeakMap<IncomingMessage, number>();
