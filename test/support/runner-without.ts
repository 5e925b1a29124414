import type { TestRunner } from '../contracts';

/** Mocha, without the tests of promises that a way of working can't keep. */
export const runnerWithout = (...titles: ReadonlyArray<string>): TestRunner => ({
  describe,
  it: (title, check) => {
    if (!titles.includes(title)) it(title, check);
  },
});
