import { setTimeout as delay } from 'node:timers/promises';

/** Rejects when a promise has not settled in time, in milliseconds. What the promise stands for goes on. */
export const withTimeout = <A>(timeoutMs: number, promise: Promise<A>): Promise<A> =>
  Promise.race([
    promise,
    delay(timeoutMs, undefined, { ref: false }).then((): never => {
      throw new Error('the database, or a free connection to it, did not come in time');
    }),
  ]);
