import { creates } from './pet-repository/creates';
import { createsAtOnce } from './pet-repository/creates-at-once';
import { keepsEveryDigit } from './pet-repository/keeps-every-digit';
import { keepsEveryLetter } from './pet-repository/keeps-every-letter';
import { keepsToDeadlines } from './pet-repository/keeps-to-deadlines';
import { listsInPages } from './pet-repository/lists-in-pages';
import {
  type BasicRepository,
  type OpenPetRepository,
  useRepository,
} from './pet-repository/open-pet-repository';
import { replays } from './pet-repository/replays';
import { type ContractOptions, seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/**
 * Defines the tests that every adapter of the pet repository port must pass. Opens a repository for each test, one at a
 * time, and closes it afterwards. `importAllContract` and `idempotencyExpiryContract` test imports and the expiry of keys.
 */
export const petRepositoryContract = (
  testRunner: TestRunner,
  open: OpenPetRepository<BasicRepository>,
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
    replays(runner, use);
    keepsToDeadlines(runner, use);
  });
};
