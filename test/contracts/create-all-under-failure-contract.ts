import type { NewPet, Pet, PetRepository } from '../../core';
import { arbitraryNewPet } from './arbitrary';
import { expectEqual } from './expect-equal';
import { success } from './outcome';
import { allPets } from './pet-repository/pages-of';
import { contentOf, petWithId } from './pet-repository/seeds';
import { type ContractOptions, seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

/** A repository whose store a test can break, as a disk that is full or a lost connection does. */
export interface BreakableRepository {
  readonly repository: PetRepository;
  /** From here on the store takes no writes. */
  readonly breakStore: () => Promise<void>;
  /** From here on it works again. */
  readonly mendStore: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Gives a repository that holds the given animals and nothing else. */
export type OpenBreakableRepository = (pets: ReadonlyArray<Pet>) => Promise<BreakableRepository>;

/** More than any adapter is likely to write at once. */
const many = 1_500;

async function* sourceOf(
  newPets: ReadonlyArray<NewPet>,
  before: (index: number) => Promise<void>,
): AsyncGenerator<NewPet> {
  for (const [index, newPet] of newPets.entries()) {
    await before(index);
    yield newPet;
  }
}

/** What `createAll` promises when its store breaks under it: all animals or none, and the answer says which. */
export const createAllUnderFailureContract = (
  testRunner: TestRunner,
  open: OpenBreakableRepository,
  options: ContractOptions = {},
): void => {
  const { describe, it } = seededRunner(testRunner, options);

  describe('createAll, while its store breaks', () => {
    for (const [when, failing] of [
      ['before the first animal', 0],
      ['in the middle', many / 2],
      ['before the last animal', many - 1],
    ] as const) {
      it(`stores all animals or none, and says which: ${when}`, async () => {
        const there = [petWithId(5n)];
        const { repository, breakStore, mendStore, close } = await open(there);
        try {
          const newPets = Array.from({ length: many }, arbitraryNewPet);
          const source = sourceOf(newPets, async (index) => {
            if (index === failing) await breakStore();
          });
          const outcome = await repository.createAll(source)();
          await mendStore();

          const added = (await allPets(repository)).slice(there.length).map(contentOf);
          const answer = outcome._tag === 'Right' ? 'a success' : outcome.left._tag;
          const isAll = outcome._tag === 'Right' || (answer === 'Unavailable' && added.length > 0);
          expectEqual(`the animals that are stored after ${answer}`, added, isAll ? newPets : []);
          if (outcome._tag === 'Right') expectEqual('the number of animals added', outcome.right, many);

          const next = await success(repository.create(arbitraryNewPet()), 'a creation after that');
          expectEqual('what is found then', await success(repository.find(next.pet.id)), next.pet);
        } finally {
          await close();
        }
      });
    }
  });
};
