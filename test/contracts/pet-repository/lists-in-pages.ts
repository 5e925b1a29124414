import type { Pet, PetQuery, PetRepository } from '../../../core';
import { expectEqual, shown } from '../expect-equal';
import { expectUnlessUnavailable, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import { choices, expectAlike, filterings, inWords, makeNewPet, passes } from './filterings';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage, pagesOf } from './pages-of';
import { largestId, petWithId, smallestId } from './seeds';

/** Makes 24 animals with the ids 10, 20 ... 240. */
const makeCatalogue = (): ReadonlyArray<Pet> =>
  Array.from({ length: 24 }, (_, index) => petWithId(BigInt(index + 1) * 10n, makeNewPet()));

const shuffled = (pets: ReadonlyArray<Pet>): ReadonlyArray<Pet> =>
  pets.toSorted((one, other) => Number((one.id * 7n) % 25n) - Number((other.id * 7n) % 25n));

const allSizes = [...Array.from({ length: 26 }, (_, index) => index + 1), 99, 100];

export const listsInPages = ({ it }: TestRunner, use: UseRepository): void => {
  /** Runs a test with a repository to which the catalogue was added in another order. */
  const useCatalogue = (
    test: (repository: PetRepository, catalogue: ReadonlyArray<Pet>) => Promise<void>,
  ): Promise<void> => {
    const catalogue = makeCatalogue();
    return use({ pets: shuffled(catalogue) }, (repository) => test(repository, catalogue));
  };

  it('lists no animals in an empty store', () =>
    use({}, async ({ list }) => {
      expectEqual('the page', await success(list({ limit: largestPage })), { pets: [], hasMore: false });
    }));

  it('lists by ascending id, in whatever order the animals were stored', () =>
    useCatalogue(async (repository, catalogue) => {
      expectEqual('the list', await allPets(repository), catalogue);
    }));

  for (const filters of filterings) {
    it(`lists animals of ${inWords(filters)} in pages of any size, with hasMore until the last page`, () =>
      useCatalogue(async (repository, catalogue) => {
        const expected = catalogue.filter((pet) => passes(filters, pet));
        for (const size of allSizes) {
          const pages = await pagesOf(repository, { limit: size, ...filters });
          const count = Math.ceil(expected.length / size) || 1;
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

  it('finds and lists the same animals, stored before and created now', () =>
    useCatalogue(async (repository, catalogue) => {
      for (let count = 0; count < 16; count += 1) await success(repository.create(makeNewPet()));
      const pets = await expectAlike(repository);
      expectEqual('how many are listed', pets.length, catalogue.length + 16);
    }));

  it('returns to each of many concurrent lists the page of its own query', () =>
    useCatalogue(async (repository, catalogue) => {
      const each: { readonly [Field in keyof PetQuery]-?: ReadonlyArray<PetQuery[Field]> } = {
        limit: [1, 7, 100],
        after: [undefined, 100n, 200n],
        order: [undefined, 'desc'],
        ...choices,
      };
      const queries = each.limit.flatMap((limit) =>
        each.after.flatMap((after) =>
          each.order.flatMap((order) => filterings.map((filters) => ({ limit, after, order, filters }))),
        ),
      );
      const pages = await Promise.all(
        queries.map(({ filters, ...query }) => success(repository.list({ ...query, ...filters }))),
      );
      for (const [index, { limit, after, order, filters }] of queries.entries()) {
        const ordered = order === 'desc' ? catalogue.toReversed() : catalogue;
        const follow = ordered.filter(
          ({ id }) => after === undefined || (order === 'desc' ? id < after : id > after),
        );
        const expected = follow.filter((pet) => passes(filters, pet));
        expectEqual(`the page of ${shown({ limit, after, order, ...filters })}`, pages[index], {
          pets: expected.slice(0, limit),
          hasMore: expected.length > limit,
        });
      }
    }));

  it('lists the animals after an id, whether it exists or not', () =>
    useCatalogue(async (repository, catalogue) => {
      for (const after of [smallestId, -1n, 0n, 5n, 10n, 11n, 125n, 230n, 239n, 240n, 241n, largestId]) {
        const expected = catalogue.filter(({ id }) => id > after);
        const listed = await allPets(repository, { after: after });
        expectEqual(`the list after ${after}`, listed, expected);
      }
    }));

  it('lists the newest animals first in descending order, by pages of any size and from any id', () =>
    useCatalogue(async (repository, catalogue) => {
      const newestFirst = catalogue.toReversed();
      for (const limit of [1, 5, 24, 100]) {
        const listed = await allPets(repository, { limit, order: 'desc' });
        expectEqual(`the list by pages of ${limit}`, listed, newestFirst);
      }
      for (const after of [smallestId, 0n, 10n, 125n, 240n, 241n, largestId]) {
        const listed = await allPets(repository, { after, order: 'desc' });
        const expected = newestFirst.filter(({ id }) => id < after);
        expectEqual(`the list after ${after}`, listed, expected);
      }
    }));

  it('lists no animals by a value that no store can hold, or is Unavailable, and lists others', () =>
    useCatalogue(async ({ list }, catalogue) => {
      const beyond = largestId + 1n;
      const none = { pets: [], hasMore: false };
      const [page] = await Promise.all([
        success(list({ limit: 2 })),
        success(list({ limit: 2, after: 10n })),
        success(list({ limit: 2, categoryId: 7n })),
        ...[{ after: beyond }, { categoryId: beyond }, { limit: NaN }].map((fields) =>
          expectUnlessUnavailable(`list by ${shown(fields)}`, list({ limit: 2, ...fields }), none),
        ),
      ]);
      expectEqual('the page', page.pets, catalogue.slice(0, 2));
    }));

  it('leaves out the status of an animal without one', () =>
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
