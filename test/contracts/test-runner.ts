/** Functions of a test runner, such as mocha, vitest or node:test. Allow each test 10 s. */
export interface TestRunner {
  readonly describe: (title: string, define: () => void) => unknown;
  readonly it: (title: string, check: () => Promise<void>) => unknown;
}
