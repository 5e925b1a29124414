import assert from 'node:assert/strict';
import { CategoryId } from '../../../core';
import { arbitraryScopedIdempotencyKey, arbitraryNewPet } from '../arbitrary';
import { decoded, failure, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage, pageSize } from './pages-of';
import { largestId, petId, petWithId, smallestId } from './seeds';

/** Both ends, and neighbours that a double takes for one. */
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

const pets = hardNumbers.map((id) => petWithId(id));

export const keepsEveryDigit = ({ it }: TestRunner, use: UseRepository): void => {
  it('finds and lists ids over all of int64 to the digit', () =>
    use({ pets }, async (repository) => {
      assert.deepEqual(await allPets(repository), pets);
      for (const pet of pets) assert.deepEqual(await success(repository.find(pet.id)), pet);
    }));

  it('pages from id to id over all of int64', () =>
    use({ pets }, async ({ list }) => {
      for (const [index, { id }] of pets.entries()) {
        const page = await success(list({ limit: pageSize(1), after: id }));
        assert.deepEqual(page, { pets: pets.slice(index + 1, index + 2), hasMore: index < pets.length - 2 });
      }
    }));

  it('finds no animal by the id next to it', () =>
    use({ pets: [petWithId(9007199254740993n), petWithId(smallestId)] }, async ({ find }) => {
      for (const id of [
        9007199254740992n,
        9007199254740994n,
        smallestId + 1n,
        -9007199254740993n,
        largestId,
      ]) {
        assert.equal(await failure(find(petId(id))), 'PetNotFound', id.toString());
      }
    }));

  it('keeps category ids over all of int64 to the digit', () =>
    use({}, async (repository) => {
      for (const number of hardNumbers) {
        const newPet = { ...arbitraryNewPet(), categoryId: decoded(CategoryId, number) };
        const { pet } = await success(repository.create(newPet));
        assert.equal(pet.categoryId, number);
        assert.equal((await success(repository.find(pet.id))).categoryId, number);
      }
      assert.deepEqual(
        (await allPets(repository)).map(({ categoryId }) => categoryId),
        hardNumbers,
      );
    }));

  it('assigns ids past 2^53 that are found again', () =>
    use({ pets: [petWithId(9007199254740993n)] }, async (repository) => {
      for (let count = 0; count < 5; count += 1) {
        const newPet = arbitraryNewPet();
        const { pet } = await success(repository.create(newPet));
        assert.ok(pet.id > 9007199254740993n);
        assert.deepEqual(await success(repository.find(pet.id)), { id: pet.id, ...newPet });
      }
      assert.equal(new Set((await allPets(repository)).map(({ id }) => id)).size, 6);
    }));

  it('assigns no id past the largest: the store is Unavailable then, and keeps nothing', () =>
    use({ pets: [petWithId(largestId)] }, async ({ create, list }) => {
      const key = arbitraryScopedIdempotencyKey();
      const newPet = arbitraryNewPet();
      assert.equal(await failure(create(newPet)), 'Unavailable');
      assert.equal(await failure(create(newPet, key)), 'Unavailable');
      assert.equal(await failure(create(newPet, key)), 'Unavailable', 'a failed creation is not replayed');
      const { pets: kept } = await success(list({ limit: largestPage }));
      assert.deepEqual(
        kept.map(({ id }) => id),
        [largestId],
      );
    }));
};
