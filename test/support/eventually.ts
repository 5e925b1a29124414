import { setTimeout as delay } from 'node:timers/promises';

const pause = 25;

/** Polls until a condition is true. Fails after `bound` milliseconds. */
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
