import { type Pet } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { expectFailure, outcomeOf, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage } from './pages-of';
import { largestId, petWithId, smallestId } from './seeds';

/** The smallest and the largest int64, and neighbours that are equal as doubles. */
const hardNumbers = [
  smallestId,
  smallestId + 1n,
  -9007199254740993n,
  -9007199254740992n,
  -1n,
  0n,
  1n,
  9007199254740991n,
  9007199254740992n,
  9007199254740993n,
  1234567890123456789n,
  largestId - 1n,
  largestId,
];

const petsWithHardIds = (): ReadonlyArray<Pet> => hardNumbers.map((id) => petWithId(id));

export const keepsEveryDigit = ({ it }: TestRunner, use: UseRepository): void => {
  it('finds and lists ids with every digit, over all of int64', () => {
    const pets = petsWithHardIds();
    // Animals are stored in descending order. A stable sort by doubles would keep the stored order of neighbours beyond
    // 2^53.
    return use({ pets: pets.toReversed() }, async (repository) => {
      expectEqual('the list', await allPets(repository), pets);
      for (const pet of pets) {
        expectEqual(`what is found by ${pet.id}`, await success(repository.find(pet.id)), pet);
      }
    });
  });

  it('continues a list after any id, over all of int64', () => {
    const pets = petsWithHardIds();
    return use({ pets }, async ({ list }) => {
      for (const [index, { id }] of pets.entries()) {
        expectEqual(`the page of 1 after ${id}`, await success(list({ limit: 1, after: id })), {
          pets: pets.slice(index + 1, index + 2),
          hasMore: index < pets.length - 2,
        });
      }
    });
  });

  it('finds no animal by a neighbouring id', () =>
    use({ pets: [petWithId(9007199254740993n), petWithId(smallestId)] }, async ({ find }) => {
      for (const id of [
        9007199254740992n,
        9007199254740994n,
        smallestId + 1n,
        -9007199254740993n,
        largestId,
      ]) {
        const outcome = await outcomeOf(`find(${id})`, find(id));
        expectEqual(`find(${id})`, outcome, { _tag: 'Left', left: { _tag: 'PetNotFound', id } });
      }
    }));

  it('keeps every digit of a category id, over all of int64', () =>
    use({}, async (repository) => {
      for (const number of hardNumbers) {
        const newPet = { ...arbitraryNewPet(), categoryId: number };
        const { pet } = await success(repository.create(newPet));
        expectEqual('categoryId, as created', pet.categoryId, number);
        expectEqual('categoryId, as found', (await success(repository.find(pet.id))).categoryId, number);
      }
      expectEqual(
        'category ids, as listed',
        (await allPets(repository)).map(({ categoryId }) => categoryId),
        hardNumbers,
      );
    }));

  it('assigns ids past 2^53, and finds the animals by them', () =>
    use({ pets: [petWithId(9007199254740993n)] }, async (repository) => {
      for (let count = 0; count < 5; count += 1) {
        const newPet = arbitraryNewPet();
        const { pet } = await success(repository.create(newPet));
        expectEqual(
          `whether the new id, ${pet.id}, is past 9007199254740993`,
          pet.id > 9007199254740993n,
          true,
        );
        expectEqual(`what is found by ${pet.id}`, await success(repository.find(pet.id)), {
          id: pet.id,
          ...newPet,
        });
      }
      const ids = new Set((await allPets(repository)).map(({ id }) => id));
      expectEqual('the ids that are listed, each counted once', ids.size, 6);
    }));

  it('assigns no id past the largest: a create is Unavailable and stores nothing', () =>
    use({ pets: [petWithId(largestId)] }, async ({ create, list }) => {
      const idempotency = arbitraryScopedIdempotencyKey();
      const newPet = arbitraryNewPet();
      await expectFailure('a create past the largest id', create(newPet), 'Unavailable');
      await expectFailure('a create under a key', create(newPet, { idempotency }), 'Unavailable');
      await expectFailure(
        'its retry, which replays no failed create',
        create(newPet, { idempotency }),
        'Unavailable',
      );
      const { pets: kept } = await success(list({ limit: largestPage }));
      expectEqual(
        'the ids that are listed',
        kept.map(({ id }) => id),
        [largestId],
      );
    }));
};
