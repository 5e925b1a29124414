import { setTimeout as delay } from 'node:timers/promises';
import { isBusy, isLocked } from './database-error';

/** How long set-up work waits for others, in milliseconds: what a long migration of another process takes. */
export const longestWaitMs = 600_000;

/** In milliseconds: long enough for those who waited behind it to have their turn. */
const pauseMs = 500;

/** Runs work again while others hold what it wants to lock, for ten minutes at most. */
export const retryLocked = async <A>(work: () => Promise<A>): Promise<A> => {
  const until = performance.now() + longestWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(isLocked(error) || isBusy(error)) || performance.now() > until) throw error;
      await delay(pauseMs);
    }
  }
};
