import assert from 'node:assert/strict';
import type { Pet, PetStatus } from '../../../core';
import { arbitraryNewPet } from '../arbitrary';
import { success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage, pageSize, pagesOf } from './pages-of';
import { largestId, petId, petWithId, smallestId } from './seeds';

const statuses: ReadonlyArray<PetStatus | undefined> = ['available', undefined, 'pending', 'sold', undefined];

/** Ids 10, 20 ... 240: in order, with gaps, every status and none. */
const catalogue: ReadonlyArray<Pet> = Array.from({ length: 24 }, (_, index) => {
  const { name, categoryId } = arbitraryNewPet();
  const status = statuses[index % statuses.length];
  return petWithId(BigInt(index + 1) * 10n, {
    name,
    categoryId,
    ...(status === undefined ? {} : { status }),
  });
});

const shuffled = catalogue.toSorted(
  (one, other) => Number((one.id * 7n) % 25n) - Number((other.id * 7n) % 25n),
);

const allSizes = [...Array.from({ length: 26 }, (_, index) => index + 1), 99, 100];

export const listsInPages = ({ it }: TestRunner, use: UseRepository): void => {
  it('lists nothing where there is nothing', () =>
    use({}, async ({ list }) => {
      assert.deepEqual(await success(list({ limit: largestPage })), { pets: [], hasMore: false });
    }));

  it('lists by ascending id, whatever order they came in', () =>
    use({ pets: shuffled }, async (repository) => {
      assert.deepEqual(await allPets(repository), catalogue);
    }));

  for (const status of [undefined, 'available', 'pending', 'sold'] as const) {
    it(`gives the list back by pages of any size, of ${status ?? 'any'} status, and knows where it ends`, () =>
      use({ pets: shuffled }, async (repository) => {
        const expected = catalogue.filter((pet) => status === undefined || pet.status === status);
        for (const size of allSizes) {
          const pages = await pagesOf(repository, { limit: pageSize(size), status });
          assert.deepEqual(
            pages,
            Array.from({ length: Math.ceil(expected.length / size) }, (_, page) => ({
              pets: expected.slice(page * size, (page + 1) * size),
              hasMore: (page + 1) * size < expected.length,
            })),
          );
        }
      }));
  }

  it('lists what follows an id, there or not', () =>
    use({ pets: shuffled }, async (repository) => {
      for (const after of [smallestId, -1n, 0n, 5n, 10n, 11n, 125n, 230n, 239n, 240n, 241n, largestId]) {
        const expected = catalogue.filter(({ id }) => id > after);
        assert.deepEqual(
          await allPets(repository, { after: petId(after) }),
          expected,
          `after ${after.toString()}`,
        );
      }
    }));

  it('gives an animal without a status no status field', () =>
    use({ pets: catalogue }, async (repository) => {
      const listed = await allPets(repository);
      const found = await Promise.all(catalogue.map(({ id }) => success(repository.find(id))));
      for (const pets of [listed, found]) {
        assert.deepEqual(
          pets.map((pet) => 'status' in pet),
          catalogue.map((pet) => 'status' in pet),
        );
      }
    }));
};
