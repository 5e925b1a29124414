import type { Pet, PetRepository } from '../../../core';

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

/** Runs a test, then `close`. If the test fails, `close` may fail too, and the error is that of the test. */
export const closeAfter = async (test: Promise<void>, close: () => Promise<void>): Promise<void> => {
  try {
    await test;
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
  await close();
};

export const useRepository =
  <Repository>(open: OpenPetRepository<Repository>): UseRepository<Repository> =>
  async ({ pets = [], now = Date.now }, test) => {
    const { repository, close } = await open({ pets, now });
    await closeAfter(test(repository), close);
  };
