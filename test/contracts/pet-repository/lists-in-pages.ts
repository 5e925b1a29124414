import type { Pet, PetRepository, PetStatus } from '../../../core';
import { arbitraryNewPet } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage, pageSize, pagesOf } from './pages-of';
import { largestId, petId, petWithId, smallestId } from './seeds';

const statuses: ReadonlyArray<PetStatus | undefined> = ['available', undefined, 'pending', 'sold', undefined];

/** Ids 10, 20 ... 240: in order, with gaps, every status and none. */
const makeCatalogue = (): ReadonlyArray<Pet> =>
  Array.from({ length: 24 }, (_, index) => {
    const { name, categoryId } = arbitraryNewPet();
    const status = statuses[index % statuses.length];
    return petWithId(BigInt(index + 1) * 10n, {
      name,
      categoryId,
      ...(status === undefined ? {} : { status }),
    });
  });

const shuffled = (pets: ReadonlyArray<Pet>): ReadonlyArray<Pet> =>
  pets.toSorted((one, other) => Number((one.id * 7n) % 25n) - Number((other.id * 7n) % 25n));

const allSizes = [...Array.from({ length: 26 }, (_, index) => index + 1), 99, 100];

export const listsInPages = ({ it }: TestRunner, use: UseRepository): void => {
  /** Opens a repository that was filled with the catalogue out of its order. */
  const useCatalogue = (
    test: (repository: PetRepository, catalogue: ReadonlyArray<Pet>) => Promise<void>,
  ): Promise<void> => {
    const catalogue = makeCatalogue();
    return use({ pets: shuffled(catalogue) }, (repository) => test(repository, catalogue));
  };

  it('lists nothing where there is nothing', () =>
    use({}, async ({ list }) => {
      expectEqual('the page', await success(list({ limit: largestPage })), { pets: [], hasMore: false });
    }));

  it('lists by ascending id, whatever order they came in', () =>
    useCatalogue(async (repository, catalogue) => {
      expectEqual('the list', await allPets(repository), catalogue);
    }));

  for (const status of [undefined, 'available', 'pending', 'sold'] as const) {
    it(`gives the list back by pages of any size, of ${status ?? 'any'} status, and knows where it ends`, () =>
      useCatalogue(async (repository, catalogue) => {
        const expected = catalogue.filter((pet) => status === undefined || pet.status === status);
        for (const size of allSizes) {
          const pages = await pagesOf(repository, { limit: pageSize(size), status });
          const count = Math.ceil(expected.length / size);
          for (const [page, { pets, hasMore }] of pages.entries()) {
            const what = `page ${page + 1} of ${count}, by pages of ${size}`;
            const end = (page + 1) * size;
            expectEqual(what, pets, expected.slice(page * size, end));
            expectEqual(`hasMore, of ${what}`, hasMore, end < expected.length);
          }
          expectEqual(`the number of pages of ${size}`, pages.length, count);
        }
      }));
  }

  it('lists what follows an id, there or not', () =>
    useCatalogue(async (repository, catalogue) => {
      for (const after of [smallestId, -1n, 0n, 5n, 10n, 11n, 125n, 230n, 239n, 240n, 241n, largestId]) {
        const expected = catalogue.filter(({ id }) => id > after);
        const listed = await allPets(repository, { after: petId(after) });
        expectEqual(`the list after ${after}`, listed, expected);
      }
    }));

  it('gives an animal without a status no status field', () =>
    useCatalogue(async (repository, catalogue) => {
      const listed = await allPets(repository);
      const found = await Promise.all(catalogue.map(({ id }) => success(repository.find(id))));
      const haveStatus = catalogue.map((pet) => 'status' in pet);
      for (const [way, pets] of Object.entries({ listed, found })) {
        expectEqual(
          `whether animals have a status field, as ${way}`,
          pets.map((pet) => 'status' in pet),
          haveStatus,
        );
      }
    }));
};
