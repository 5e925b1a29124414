import {
  brokenStoreSeed,
  type OpenBreakableRepository,
  type UseBreakable,
} from './pet-repository/broken-store';
import { closeAfter } from './pet-repository/open-pet-repository';
import { portFunctions } from './pet-repository/port-functions';
import { type ContractOptions, seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/** Defines the tests of a repository whose store breaks and recovers. Its results must match what was stored. */
export const underFailureContract = (
  testRunner: TestRunner,
  open: OpenBreakableRepository,
  options: ContractOptions = {},
): void => {
  const runner = seededRunner(testRunner, options);
  const use: UseBreakable = (test) => async () => {
    const breakable = await open([brokenStoreSeed]);
    await closeAfter(test(breakable), breakable.close);
  };
  runner.describe('as a pet repository whose store breaks', () => {
    for (const { onBrokenStore } of Object.values(portFunctions)) onBrokenStore(runner, use);
  });
};
