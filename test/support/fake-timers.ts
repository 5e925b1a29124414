import { mock } from 'node:test';

/**
 * Replaces `setTimeout` until `mock.reset()`. Real timers that were set before can still be cleared, because Node's
 * `fetch` ends the process if a timer that it has cleared fires (nodejs/undici#4755).
 */
export const fakeTimeouts = (): void => {
  const clearReal = globalThis.clearTimeout;
  mock.timers.enable({ apis: ['setTimeout'] });
  const clearFake = globalThis.clearTimeout;
  globalThis.clearTimeout = (timer) => {
    clearFake(timer);
    clearReal(timer);
  };
};
