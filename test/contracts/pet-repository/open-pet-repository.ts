import type { Pet, PetRepository } from '../../../core';
import { closeAfter } from '../outcome';

/** Initial animals and clock of a repository under test. */
export interface PetRepositoryOptions {
  /** Animals with their ids, in any order. */
  readonly pets: ReadonlyArray<Pet>;
  /** Clock in milliseconds since 1970. Only `idempotencyExpiryContract` makes it jump. */
  readonly now: () => number;
}

/** Functions of a repository that serve clients. Those for the operator have contract suites of their own. */
export type BasicRepository = Pick<PetRepository, 'list' | 'find' | 'create'>;

/** Opens a repository that holds exactly the given animals. */
export type OpenPetRepository<Repository = PetRepository> = (
  options: PetRepositoryOptions,
) => Promise<{ readonly repository: Repository; readonly close: () => Promise<void> }>;

/** Opens a repository, runs a test with it, and closes it afterwards. */
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
