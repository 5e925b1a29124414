import type { PetRepository } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { expectFailure, success } from '../outcome';
import { longestName } from './keeps-every-letter';
import type { MaintainedRepository, UseRepository } from './open-pet-repository';
import { allPets } from './pages-of';
import { largestId, petWithId, smallestId } from './seeds';
import { sourceOf } from '../source-of';
import type { TestRunner } from '../test-runner';

/** Number of animals that every adapter must delete in several batches. */
const many = 1_500;

const minute = 60 * 1000;
const day = 24 * 60 * minute;

const createOne = async ({ create }: Pick<PetRepository, 'create'>) => {
  const [newPet, idempotency] = [arbitraryNewPet(), arbitraryScopedIdempotencyKey()];
  const { pet } = await success(create(newPet, { idempotency }));
  return { newPet, idempotency, pet, retry: create(newPet, { idempotency }) };
};

/** Defines the tests of `update` and `deleteByIds`, by which an operator corrects and deletes animals. */
export const corrections = ({ it }: TestRunner, use: UseRepository<MaintainedRepository>): void => {
  it('changes the given fields of one animal, and keeps every digit and letter', () =>
    use({ pets: [smallestId, 3n, largestId].map((id) => petWithId(id)) }, async (repository) => {
      const [first, second, third] = await allPets(repository);
      for (const pet of [second, third].flatMap((each) => each ?? [])) {
        let expected = pet;
        for (const changes of [
          { name: longestName },
          { categoryId: 9007199254740993n },
          { name: "'); drop table pets; --", categoryId: smallestId, status: 'sold' },
          { name: '' },
        ] as const) {
          expected = { ...expected, ...changes };
          expectEqual('the changed animal', await success(repository.update(pet.id, changes)), expected);
          expectEqual('what is found', await success(repository.find(pet.id)), expected);
        }
        await success(repository.update(pet.id, { status: null, ...pet }));
      }
      expectEqual('the list', await allPets(repository), [first, second, third]);
      expectEqual('the sold animals', await allPets(repository, { status: 'sold' }), [
        ...[first, second, third].filter((pet) => pet?.status === 'sold'),
      ]);
    }));

  it('removes the value of an optional field with null, and keeps every value with undefined', () =>
    use({ pets: [petWithId(3n, { name: 'Rex', categoryId: 1n, status: 'sold' })] }, async (repository) => {
      const [before] = await allPets(repository);
      const unchanged = repository.update(3n, { name: undefined, status: undefined });
      expectEqual('the animal without changes', await success(unchanged), before);
      const expected = { id: 3n, name: 'Rex', categoryId: 1n };
      const cleared = repository.update(3n, { name: undefined, status: null });
      expectEqual('the animal', await success(cleared), expected);
      expectEqual('the list', await allPets(repository), [expected]);
    }));

  it('refuses changes with an invalid value, and keeps the animal', () =>
    use({ pets: [petWithId(3n)] }, async (repository) => {
      const before = await allPets(repository);
      for (const changes of [
        { categoryId: largestId + 1n },
        { name: 'U+0000: \0' },
        { name: 'a lone surrogate: \ud800' },
        { name: `${longestName}x`, status: 'sold' },
      ] as const)
        await expectFailure('update', repository.update(3n, changes), 'Unavailable');
      expectEqual('the list', await allPets(repository), before);
    }));

  it('answers PetNotFound to changes of an animal that does not exist', () =>
    use({ pets: [petWithId(3n)] }, async (repository) => {
      const there = await allPets(repository);
      for (const id of [smallestId, 2n, 4n])
        await expectFailure('update', repository.update(id, { name: 'Rex' }), 'PetNotFound');
      expectEqual('the list', await allPets(repository), there);
    }));

  it('knows no animal with an id beyond int64, and changes nothing without changes', () =>
    use({ pets: [petWithId(3n)] }, async (repository) => {
      const there = await allPets(repository);
      for (const id of [2n ** 63n, smallestId - 1n, 3n + 2n ** 64n]) {
        await expectFailure('find', repository.find(id), 'PetNotFound');
        await expectFailure('update', repository.update(id, { name: 'Rex' }), 'PetNotFound');
        expectEqual('how many were deleted', await success(repository.deleteByIds([id])), 0);
      }
      const [, found] = await Promise.all([repository.find(2n ** 63n)(), success(repository.find(3n))]);
      expectEqual('an animal of the same batch', found, there[0]);
      expectEqual('the animal', await success(repository.update(3n, {})), there[0]);
      expectEqual('the list', await allPets(repository), there);
    }));

  it('deletes the animals with the given ids, and counts each once', () =>
    use({ pets: [petWithId(smallestId), petWithId(3n)] }, async (repository) => {
      const { firstId = 0n } = await success(
        repository.importAll(sourceOf(Array.from({ length: many }, arbitraryNewPet))),
      );
      const [first, second, ...others] = await allPets(repository);
      const kept = others.filter((_, index) => index % 100 === 7);
      const ids = others.filter((pet) => !kept.includes(pet)).map(({ id }) => id);
      const deleted = repository.deleteByIds([...ids, firstId, 4n - firstId, smallestId]);
      expectEqual('how many were deleted', await success(deleted), ids.length + 1);
      expectEqual('the list', await allPets(repository), [second, ...kept]);
      await expectFailure('find', repository.find(first?.id ?? 0n), 'PetNotFound');
      expectEqual('how many a repetition deletes', await success(repository.deleteByIds(ids)), 0);
      expectEqual('how many an empty call deletes', await success(repository.deleteByIds([])), 0);
    }));

  it('deletes nothing if the ids throw', () =>
    use({ pets: [petWithId(3n)] }, async (repository) => {
      const there = await allPets(repository);
      const ids = function* () {
        for (let count = 0; count < many; count += 1) yield 3n;
        throw new Error('the ids are broken');
      };
      await expectFailure('deleteByIds', repository.deleteByIds(ids()), 'Unavailable');
      expectEqual('the list', await allPets(repository), there);
    }));

  it('gives the id of a deleted animal to no later one', () =>
    use({}, async (repository) => {
      const { pet } = await createOne(repository);
      await success(repository.deleteByIds([pet.id]));
      const next = await success(repository.create(arbitraryNewPet()));
      expectEqual('whether the next id is greater', next.pet.id > pet.id, true);
    }));

  it('returns a corrected animal to a retry of its create, and rejects a create of the corrected animal', () =>
    use({}, async (repository) => {
      const { newPet, idempotency, pet, retry } = await createOne(repository);
      const name = `${newPet.name} corrected`;
      await success(repository.update(pet.id, { name }));
      expectEqual('the retry', await success(retry), { pet: { ...pet, name }, replayed: true });
      await expectFailure(
        'another',
        repository.create({ ...newPet, name }, { idempotency }),
        'IdempotencyKeyReused',
      );
      expectEqual('the list', await allPets(repository), [{ ...pet, name }]);
    }));

  it('adds no animal at a retry after its deletion, for 24 hours', () => {
    const clock = { time: Date.UTC(2026, 1, 28) };
    return use({ now: () => clock.time }, async (repository) => {
      const [{ newPet, idempotency, pet, retry }, other] = [
        await createOne(repository),
        await createOne(repository),
      ];
      await success(repository.deleteByIds([pet.id]));
      clock.time += day - minute;
      await expectFailure('a retry', retry, 'PetDeleted');
      const another = { ...newPet, name: `${newPet.name} the second` };
      await expectFailure('another', repository.create(another, { idempotency }), 'IdempotencyKeyReused');
      expectEqual('the list', await allPets(repository), [other.pet]);
      clock.time += minute;
      const next = await success(retry);
      expectEqual('replayed, of a retry after 24 hours', next.replayed, false);
      expectEqual('the list then', await allPets(repository), [other.pet, next.pet]);
    });
  });
};
