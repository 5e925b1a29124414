import { creates } from './pet-repository/creates';
import { createsAll } from './pet-repository/creates-all';
import { createsAtOnce } from './pet-repository/creates-at-once';
import { forgetsKeys } from './pet-repository/forgets-keys';
import { keepsEveryDigit } from './pet-repository/keeps-every-digit';
import { keepsEveryLetter } from './pet-repository/keeps-every-letter';
import { keepsToDeadlines } from './pet-repository/keeps-to-deadlines';
import { listsInPages } from './pet-repository/lists-in-pages';
import { type OpenPetRepository, useRepository } from './pet-repository/open-pet-repository';
import { replays } from './pet-repository/replays';
import { type ContractOptions, seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/**
 * What every adapter of the pet repository port must do. Call it where your runner takes `describe`; it opens a
 * repository for each test, one at a time, and closes it after.
 */
export const petRepositoryContract = (
  testRunner: TestRunner,
  open: OpenPetRepository,
  options: ContractOptions = {},
): void => {
  const runner = seededRunner(testRunner, options);
  const use = useRepository(open);
  runner.describe('as a pet repository', () => {
    listsInPages(runner, use);
    keepsEveryDigit(runner, use);
    keepsEveryLetter(runner, use);
    creates(runner, use);
    createsAtOnce(runner, use);
    createsAll(runner, use);
    replays(runner, use);
    forgetsKeys(runner, use);
    keepsToDeadlines(runner, use);
  });
};
