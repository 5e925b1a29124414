import { constVoid } from 'fp-ts/function';
import type { Database } from '../database/database';

/** How often expired records are looked for, in milliseconds. */
const interval = 1_000;

/** How many are forgotten at once, so that nobody waits long for it after a long rest. */
const maxForgotten = 1_000;

/**
 * Deletes expired idempotency records beside the creates, once a second at most, and in one place at a time. No create
 * waits for it; what it fails to delete, the next time deletes.
 */
export const forgetNowAndThen = ({ writes, petStatements }: Database, now: () => number): (() => void) => {
  let lastTime = -Infinity;
  let isDue = false;
  let isForgetting = false;

  const forgetAll = async (): Promise<void> => {
    while (isDue) {
      isDue = false;
      const forgotten = await petStatements.forgetExpired(writes, now(), maxForgotten);
      isDue ||= forgotten === maxForgotten;
    }
  };

  return () => {
    const time = now();
    // In a transaction of a host's it would run between the host's own statements, and may end them.
    if (writes.isTransaction === true) return;
    // A clock that went back may have done so by a year.
    if (time >= lastTime && time < lastTime + interval) return;
    lastTime = time;
    isDue = true;
    if (isForgetting) return;
    isForgetting = true;
    forgetAll()
      .catch(constVoid)
      .finally(() => {
        isForgetting = false;
      });
  };
};
