import { type NewPet, type Pet, type PetRepository } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { nextTurn } from '../next-turn';
import { allEnded, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets } from './pages-of';
import { contentOf } from './seeds';

/** Makes an animal with the same number in all its fields, so that a mix of two rows is visible. */
const numberedPet = (number: number): NewPet => ({
  name: `animal ${number}`,
  categoryId: BigInt(number),
  ...(number % 2 === 0 ? { status: 'sold' } : {}),
});

const numberedPets = (length: number): ReadonlyArray<NewPet> =>
  Array.from({ length }, (_, number) => numberedPet(number));

const assertWhole = (pets: ReadonlyArray<Pet>): void => {
  for (const pet of pets) {
    expectEqual(
      `animal ${pet.id}, put together of one create`,
      contentOf(pet),
      numberedPet(Number(pet.categoryId)),
    );
  }
};

const assertAscending = (pets: ReadonlyArray<Pet>): void => {
  const ids = pets.map(({ id }) => id);
  const ascending = [...new Set(ids)].sort((one, other) => (one < other ? -1 : 1));
  expectEqual('ids in the list, ascending, none twice', ids, ascending);
};

const createOne = async (repository: PetRepository, newPet: NewPet, ended: Set<bigint>): Promise<void> => {
  const { pet } = await success(repository.create(newPet));
  ended.add(pet.id);
};

export const createsAtOnce = ({ it }: TestRunner, use: UseRepository): void => {
  it('assigns 200 ids to 200 concurrent creates, and returns to each its own animal', () =>
    use({}, async (repository) => {
      const newPets = numberedPets(200);
      const made = await Promise.all(newPets.map((newPet) => success(repository.create(newPet))));
      expectEqual(
        'what each create answers with',
        made.map(({ pet }) => contentOf(pet)),
        newPets,
      );
      expectEqual('the ids, each counted once', new Set(made.map(({ pet }) => pet.id)).size, 200);
      const listed = await allPets(repository);
      expectEqual(
        'the list',
        listed,
        made.map(({ pet }) => pet).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
      );
    }));

  it('creates 200 animals concurrently, with keys and without', () =>
    use({}, async (repository) => {
      const creations = numberedPets(200).map((newPet, index) => ({
        newPet,
        idempotency: index % 3 === 0 ? undefined : arbitraryScopedIdempotencyKey(),
      }));
      const run = ({ newPet, idempotency }: (typeof creations)[number]) =>
        success(repository.create(newPet, { idempotency }));
      const made = await Promise.all(creations.map(run));
      expectEqual(
        'what each create answers with',
        made.map(({ pet, replayed }) => ({ newPet: contentOf(pet), replayed })),
        creations.map(({ newPet }) => ({ newPet, replayed: false })),
      );
      const again = await Promise.all(creations.map(run));
      for (const [index, { idempotency }] of creations.entries()) {
        const what = `of a create that is run again ${idempotency === undefined ? 'without a key' : 'under its key'}`;
        const isSame = again[index]?.pet.id === made[index]?.pet.id;
        expectEqual(`replayed, ${what}`, again[index]?.replayed, idempotency !== undefined);
        expectEqual(`whether it is the same animal, ${what}`, isSame, idempotency !== undefined);
      }
      expectEqual('how many are listed', (await allPets(repository)).length, 200 + 67);
    }));

  it('shows a read every create that ended before it began', () =>
    use({}, async ({ create, find, list }) => {
      const createAndRead = async (newPet: NewPet): Promise<void> => {
        const { pet } = await success(create(newPet));
        const [found, page] = await Promise.all([
          success(find(pet.id)),
          success(list({ limit: 1, after: pet.id - 1n })),
        ]);
        expectEqual('what is found once its create ended', found, pet);
        expectEqual('the page that begins with it', page.pets, [pet]);
      };
      const chain = async (length: number): Promise<void> => {
        for (let count = 0; count < length; count += 1) await createAndRead(arbitraryNewPet());
      };
      await Promise.all(Array.from({ length: 20 }, () => chain(5)));
    }));

  it('lists whole, ordered and complete pages while creates run', () =>
    use({}, async (repository) => {
      const ended = new Set<bigint>();
      const running = { creations: true };
      const creations = allEnded(
        numberedPets(200).map((newPet) => createOne(repository, newPet, ended)),
      ).finally(() => {
        running.creations = false;
      });
      const reader = async (): Promise<void> => {
        do {
          const seen = [...ended];
          const pets = await allPets(repository, { limit: 17 });
          assertWhole(pets);
          assertAscending(pets);
          const ids = new Set(pets.map(({ id }) => id));
          const missing = seen.filter((id) => !ids.has(id));
          expectEqual('ids that the pages lack though their creates had ended before', missing, []);
          await nextTurn();
        } while (running.creations);
      };
      await allEnded([creations, reader(), reader()]);
      expectEqual('how many are listed in the end', (await allPets(repository)).length, 200);
    }));
};
