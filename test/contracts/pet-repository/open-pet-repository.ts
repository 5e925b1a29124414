import type { Pet, PetRepository } from '../../../core';
import { closeAfter } from '../outcome';

/** Contents and clock of a repository under test. */
export interface PetRepositoryOptions {
  /** Initial animals, in any order. They keep their ids. */
  readonly pets: ReadonlyArray<Pet>;
  /** Clock in milliseconds since 1970. It jumps only in `idempotencyExpiryContract`. */
  readonly now: () => number;
}

/** A repository without `importAll`, which has a suite of its own. */
export type BasicRepository = Omit<PetRepository, 'importAll'>;

/** Opens a repository that holds the given animals and nothing else. */
export type OpenPetRepository<Repository = PetRepository> = (
  options: PetRepositoryOptions,
) => Promise<{ readonly repository: Repository; readonly close: () => Promise<void> }>;

/** Opens a repository for one test, and closes it afterwards. */
export type UseRepository<Repository = BasicRepository> = (
  options: Partial<PetRepositoryOptions>,
  test: (repository: Repository) => Promise<void>,
) => Promise<void>;

export const useRepository =
  <Repository>(open: OpenPetRepository<Repository>): UseRepository<Repository> =>
  async ({ pets = [], now = Date.now }, test) => {
    const { repository, close } = await open({ pets, now });
    return closeAfter(() => test(repository), close);
  };
