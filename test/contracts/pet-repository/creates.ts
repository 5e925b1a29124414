import assert from 'node:assert/strict';
import type { PetId } from '../../../core';
import { arbitraryNewPet, arbitraryPet } from '../arbitrary';
import { failure, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage } from './pages-of';
import { contentOf, petId, petWithId } from './seeds';

export const creates = ({ it }: TestRunner, use: UseRepository): void => {
  it('keeps what it answers with, in the order in which creations ended', () =>
    use({ pets: [petWithId(3n), petWithId(41n)] }, async (repository) => {
      const there = [...(await allPets(repository))];
      for (let count = 0; count < 20; count += 1) {
        const newPet = arbitraryNewPet();
        const { pet, replayed } = await success(repository.create(newPet));
        assert.deepEqual({ pet, replayed }, { pet: { id: pet.id, ...newPet }, replayed: false });
        there.push(pet);
      }
      assert.deepEqual(await allPets(repository), there);
    }));

  it('keeps two animals that are alike', () =>
    use({}, async (repository) => {
      const newPet = arbitraryNewPet();
      const made = await Promise.all(Array.from({ length: 10 }, () => success(repository.create(newPet))));
      const ids = new Set<PetId>(made.map(({ pet }) => pet.id));
      assert.equal(ids.size, 10);
      assert.deepEqual(
        (await allPets(repository)).map(contentOf),
        Array.from({ length: 10 }, () => newPet),
      );
    }));

  it('gives an id of its own to an animal that comes with one', () =>
    use({ pets: [petWithId(5n)] }, async (repository) => {
      const known = { ...arbitraryPet(), id: petId(5n) };
      const { pet } = await success(repository.create(known));
      assert.notEqual(pet.id, known.id);
      assert.deepEqual(contentOf(await success(repository.find(pet.id))), contentOf(known));
      assert.equal((await allPets(repository)).length, 2);
    }));

  it('does nothing before it is run, and does it again when it is run again', () =>
    use({}, async (repository) => {
      const creation = repository.create(arbitraryNewPet());
      assert.deepEqual(await allPets(repository), []);
      const [first, second] = [await success(creation), await success(creation)];
      assert.deepEqual(await allPets(repository), [first.pet, second.pet]);
    }));

  it('finds and lists what it had looked for in vain', () =>
    use({}, async ({ create, find, list }) => {
      const query = { limit: largestPage };
      const { pet: first } = await success(create(arbitraryNewPet()));
      const nearby = Array.from({ length: 50 }, (_, index) => petId(first.id + BigInt(index) + 1n));
      for (const id of nearby) assert.equal(await failure(find(id)), 'PetNotFound');
      assert.deepEqual((await success(list(query))).pets, [first]);
      const { pet: second } = await success(create(arbitraryNewPet()));
      assert.deepEqual(await success(find(second.id)), second);
      assert.deepEqual((await success(list(query))).pets, [first, second]);
    }));

  it('reads when it is run, not when it is asked for', () =>
    use({}, async (repository) => {
      const list = repository.list({ limit: largestPage });
      const { pet: first } = await success(repository.create(arbitraryNewPet()));
      const nearby = Array.from({ length: 50 }, (_, index) => petId(first.id + BigInt(index) + 1n));
      const finds = new Map(nearby.map((id) => [id, repository.find(id)]));
      const { pet: second } = await success(repository.create(arbitraryNewPet()));
      assert.deepEqual((await success(list)).pets, [first, second]);
      const find = finds.get(second.id) ?? repository.find(second.id);
      assert.deepEqual(await success(find), second);
    }));
};
