import type { Pet, PetMaintenance, PetRepository } from '../../core';
import { brokenStoreSeed, type UseBreakable } from './pet-repository/broken-store';
import type { MaintainedRepository } from './pet-repository/open-pet-repository';
import { maintenanceFunctions, repositoryFunctions } from './pet-repository/port-functions';
import { closeAfter } from './outcome';
import { seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/** A repository whose store a test can break, as a full disk or a lost connection would. */
type BreakableRepository = Readonly<{
  /** The tests of imports and corrections pass at once if it lacks a function of PetMaintenance. */
  repository: PetRepository & Partial<PetMaintenance>;
  /** Makes the store reject all writes. A test may call it while writes run. */
  breakStore: () => Promise<void>;
  /** Makes the store accept writes again. */
  mendStore: () => Promise<void>;
  /** Closes and reopens the store, as in a restart of its process. */
  reopen: () => Promise<PetRepository>;
  close: () => Promise<void>;
}>;

type OpenBreakableRepository = (pets: ReadonlyArray<Pet>) => Promise<BreakableRepository>;

const isMaintained = (repository: BreakableRepository['repository']): repository is MaintainedRepository =>
  Object.keys(maintenanceFunctions).every((name) => name in repository);

/**
 * Defines the tests of a repository whose store breaks and recovers. The results of calls must match the stored
 * animals.
 */
export const underFailureContract = (
  testRunner: TestRunner,
  open: OpenBreakableRepository,
  options: { readonly seed?: number } = {},
): void => {
  const runner = seededRunner(testRunner, options);
  const use: UseBreakable<BreakableRepository['repository']> = (test) => async () => {
    const breakable = await open([brokenStoreSeed]);
    const { repository } = breakable;
    let isBroken = false;
    const breakStore = async (): Promise<void> => {
      isBroken = true;
      await breakable.breakStore();
    };
    const mendStore = async (): Promise<void> => {
      await breakable.mendStore();
      isBroken = false;
    };
    return closeAfter(
      () => test({ repository, breakStore, mendStore, reopen: () => breakable.reopen() }),
      async () => {
        try {
          // A failed test may leave the store broken, and a broken store may be unable to close.
          if (isBroken) await mendStore();
        } finally {
          await breakable.close();
        }
      },
    );
  };
  const useMaintained: UseBreakable<MaintainedRepository> = (test) =>
    use(async ({ repository, ...others }) => {
      if (isMaintained(repository)) await test({ repository, ...others });
    });
  runner.describe('as a pet repository whose store breaks', () => {
    for (const { onBrokenStore } of Object.values(repositoryFunctions)) onBrokenStore(runner, use);
    for (const { onBrokenStore } of Object.values(maintenanceFunctions)) onBrokenStore(runner, useMaintained);
  });
};
