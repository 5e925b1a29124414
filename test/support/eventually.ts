import { setTimeout as delay } from 'node:timers/promises';

/** In milliseconds. */
const pause = 25;

/** Asks until the answer is yes; fails once `bound` milliseconds have passed. */
export const eventually = async (
  what: string,
  bound: number,
  isSo: () => boolean | Promise<boolean>,
): Promise<void> => {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > bound) throw new Error(`not so within ${bound} ms: ${what}`);
    await delay(pause);
  }
};
