import type { Pet, PetMaintenance, PetRepository } from '../../../core';
import { closeAfter } from '../outcome';

/** Initial animals and clock of a repository under test. */
export interface PetRepositoryOptions {
  /** Animals with their ids, in any order. */
  readonly pets: ReadonlyArray<Pet>;
  /** Clock in milliseconds since 1970. Only `idempotencyExpiryContract` makes it jump. */
  readonly now: () => number;
}

/** Both ports to the same animals. */
export type MaintainedRepository = PetRepository & PetMaintenance;

/** Opens a repository that holds exactly the given animals. */
export type OpenPetRepository<Repository = PetRepository> = (
  options: PetRepositoryOptions,
) => Promise<{ readonly repository: Repository; readonly close: () => Promise<void> }>;

/** Opens a repository, runs a test with it, and closes it afterwards. */
export type UseRepository<Repository = PetRepository> = (
  options: Partial<PetRepositoryOptions>,
  test: (repository: Repository) => Promise<void>,
) => Promise<void>;

export const useRepository =
  <Repository>(open: OpenPetRepository<Repository>): UseRepository<Repository> =>
  async ({ pets = [], now = Date.now }, test) => {
    const { repository, close } = await open({ pets, now });
    return closeAfter(() => test(repository), close);
  };
