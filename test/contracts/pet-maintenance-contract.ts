import type { PetMaintenance, PetRepository } from '../../core';
import { corrections } from './pet-repository/corrections';
import { imports } from './pet-repository/imports';
import { type OpenPetRepository, useRepository } from './pet-repository/open-pet-repository';
import { seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/**
 * Defines the tests that every adapter of the port for operators must pass, together with a pet repository on the same
 * animals.
 */
export const petMaintenanceContract = (
  testRunner: TestRunner,
  open: OpenPetRepository<PetRepository & PetMaintenance>,
  options: { readonly seed?: number } = {},
): void => {
  const runner = seededRunner(testRunner, options);
  const use = useRepository(open);
  runner.describe('as a pet repository that operators maintain', () => {
    imports(runner, use);
    corrections(runner, use);
  });
};
