import type { Pet, PetRepository } from '../../../core';

/** What a test asks of the repository that is opened for it. */
export interface PetRepositoryOptions {
  /** The animals that the repository holds from the start, with these very ids, in any order. */
  readonly pets: ReadonlyArray<Pet>;
  /** The repository's clock, in milliseconds since 1970. It may jump. */
  readonly now: () => number;
}

/** Gives a repository that holds the given animals and nothing else. */
export type OpenPetRepository = (
  options: PetRepositoryOptions,
) => Promise<{ readonly repository: PetRepository; readonly close: () => Promise<void> }>;

/** Opens a repository for one test, and closes it whatever comes of that. */
export type UseRepository = (
  options: Partial<PetRepositoryOptions>,
  test: (repository: PetRepository) => Promise<void>,
) => Promise<void>;

export const useRepository =
  (open: OpenPetRepository): UseRepository =>
  async ({ pets = [], now = Date.now }, test) => {
    const { repository, close } = await open({ pets, now });
    try {
      await test(repository);
    } finally {
      await close();
    }
  };
