import type { TestRunner } from '../contracts';

/** Returns mocha without some tests of a contract suite, by title, for a setup that cannot keep these promises. */
export const runnerWithout = (...titles: ReadonlyArray<string>): TestRunner => ({
  describe,
  it: (title, check) => {
    if (!titles.includes(title)) it(title, check);
  },
});
