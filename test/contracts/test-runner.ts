/** What a contract suite needs of a test runner: mocha, vitest, node:test and others have both. Give each test 10 s. */
export interface TestRunner {
  readonly describe: (title: string, define: () => void) => unknown;
  readonly it: (title: string, check: () => Promise<void>) => unknown;
}
