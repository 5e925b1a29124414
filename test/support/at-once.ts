/** Defines tests that run at the same time, because each waits seconds for a time limit. Each reports its own failure. */
export const testsAtOnce = (tests: Readonly<Record<string, () => Promise<void>>>): void => {
  const runs = new Map<string, Promise<void>>();
  before(() => {
    for (const [title, run] of Object.entries(tests)) {
      const running = run();
      // Prevents an unhandled rejection, which would end the process before the test awaits its promise.
      running.catch(() => undefined);
      runs.set(title, running);
    }
  });
  for (const title of Object.keys(tests)) it(title, () => runs.get(title));
};
