/**
 * Defines tests that run at the same time, for tests that wait for a time limit of seconds. All start before the first
 * one reports; each reports its own failure.
 */
export const testsAtOnce = (tests: Readonly<Record<string, () => Promise<void>>>): void => {
  const runs = new Map<string, Promise<void>>();
  before(() => {
    for (const [title, run] of Object.entries(tests)) {
      const running = run();
      // A failure before its own test awaits it would end the process.
      running.catch(() => undefined);
      runs.set(title, running);
    }
  });
  for (const title of Object.keys(tests)) it(title, () => runs.get(title));
};
