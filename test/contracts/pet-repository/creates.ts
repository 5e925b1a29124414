import { arbitraryNewPet, arbitraryPet } from '../arbitrary';
import { expectEqual, shown } from '../expect-equal';
import { expectFailure, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage } from './pages-of';
import { contentOf, largestId, petWithId, smallestId } from './seeds';

export const creates = ({ it }: TestRunner, use: UseRepository): void => {
  it('stores what create returns, and lists animals in the order of the creates', () =>
    use({ pets: [petWithId(3n), petWithId(41n)] }, async (repository) => {
      const there = [...(await allPets(repository))];
      for (let count = 0; count < 20; count += 1) {
        const newPet = arbitraryNewPet();
        const { pet, replayed } = await success(repository.create(newPet));
        expectEqual(
          'what create answers with',
          { pet, replayed },
          { pet: { id: pet.id, ...newPet }, replayed: false },
        );
        there.push(pet);
      }
      expectEqual('the list, in the order in which creates ended', await allPets(repository), there);
    }));

  it('fails to create an animal with a value that no store can hold, and creates others at the same time', () =>
    use({}, async (repository) => {
      const invalid = [{ categoryId: largestId + 1n }, { categoryId: smallestId - 1n }, { name: 'a\0' }];
      const [made] = await Promise.all([
        success(repository.create(arbitraryNewPet())),
        ...invalid.map((fields) =>
          expectFailure(
            `create with ${shown(fields)}`,
            repository.create({ ...arbitraryNewPet(), ...fields }),
            'Unavailable',
          ),
        ),
      ]);
      expectEqual('the list', await allPets(repository), [made.pet]);
    }));

  it('stores equal animals under different ids', () =>
    use({}, async (repository) => {
      const newPet = arbitraryNewPet();
      const made = await Promise.all(Array.from({ length: 10 }, () => success(repository.create(newPet))));
      const ids = new Set<bigint>(made.map(({ pet }) => pet.id));
      expectEqual('the ids that 10 animals got, each counted once', ids.size, 10);
      expectEqual(
        'the list',
        (await allPets(repository)).map(contentOf),
        Array.from({ length: 10 }, () => newPet),
      );
    }));

  it('assigns a new id to an animal that comes with one', () =>
    use({ pets: [petWithId(5n)] }, async (repository) => {
      const known = { ...arbitraryPet(), id: 5n };
      const { pet } = await success(repository.create(known));
      expectEqual('whether the id that it came with, which is taken, was used', pet.id === known.id, false);
      expectEqual('what is found', contentOf(await success(repository.find(pet.id))), contentOf(known));
      expectEqual('how many are listed', (await allPets(repository)).length, 2);
    }));

  it('creates nothing before the task runs, and one animal each time it runs', () =>
    use({}, async (repository) => {
      const creation = repository.create(arbitraryNewPet());
      expectEqual('the list, before the create is run', await allPets(repository), []);
      const [first, second] = [await success(creation), await success(creation)];
      expectEqual('the list, after it was run twice', await allPets(repository), [first.pet, second.pet]);
    }));

  it('finds and lists an animal that was missing before', () =>
    use({}, async ({ create, find, list }) => {
      const query = { limit: largestPage };
      const { pet: first } = await success(create(arbitraryNewPet()));
      const nearby = Array.from({ length: 50 }, (_, index) => first.id + BigInt(index) + 1n);
      for (const id of nearby) await expectFailure(`find(${id})`, find(id), 'PetNotFound');
      expectEqual('the list', (await success(list(query))).pets, [first]);
      const { pet: second } = await success(create(arbitraryNewPet()));
      expectEqual(
        'what is found by an id that was looked for in vain before',
        await success(find(second.id)),
        second,
      );
      expectEqual('the list, after one more create', (await success(list(query))).pets, [first, second]);
    }));

  it('reads each time the task runs, and not before', () =>
    use({}, async (repository) => {
      const list = repository.list({ limit: largestPage });
      expectEqual('a list, before the creates', (await success(list)).pets, []);
      const { pet: first } = await success(repository.create(arbitraryNewPet()));
      const nearby = Array.from({ length: 50 }, (_, index) => first.id + BigInt(index) + 1n);
      const finds = new Map(nearby.map((id) => [id, repository.find(id)]));
      for (const [id, find] of finds) await expectFailure(`find(${id}), before`, find, 'PetNotFound');
      const { pet: second } = await success(repository.create(arbitraryNewPet()));
      expectEqual('the same list, run again after them', (await success(list)).pets, [first, second]);
      const find = finds.get(second.id) ?? repository.find(second.id);
      expectEqual('the same find, run again after the create', await success(find), second);
    }));
};
