import { type OpenPetRepository, useRepository } from './pet-repository/open-pet-repository';
import { deadlineSeed, repositoryFunctions } from './pet-repository/port-functions';
import { seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/**
 * Defines the tests that every adapter of the pet repository port must pass. Opens a repository for each test, one at a
 * time, and closes it afterwards. `idempotencyExpiryContract` tests the expiry of idempotency keys.
 * @example petRepositoryContract({ describe, it }, open);
 */
export const petRepositoryContract = (
  testRunner: TestRunner,
  open: OpenPetRepository,
  options: { readonly seed?: number } = {},
): void => {
  const runner = seededRunner(testRunner, options);
  const use = useRepository(open);
  runner.describe('as a pet repository', () => {
    for (const [name, { suites, afterDeadline }] of Object.entries(repositoryFunctions)) {
      for (const suite of suites) suite(runner, use);
      runner.it(`answers a ${name} whose deadline has passed, or is Unavailable`, () =>
        use({ pets: [deadlineSeed] }, (repository) => afterDeadline(repository, performance.now() - 1)),
      );
    }
  });
};
