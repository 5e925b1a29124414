import type { Pet, PetRepository } from '../../core';
import { arbitraryNewPet } from './arbitrary';
import { expectEqual } from './expect-equal';
import { nextTurn } from './next-turn';
import { success } from './outcome';
import { allPets } from './pet-repository/pages-of';
import { contentOf, petWithId } from './pet-repository/seeds';
import { sourceOf } from './source-of';
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

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

/** What `createAll` promises when its store breaks under it: all animals or none, and the answer says which. */
export const createAllUnderFailureContract = (
  testRunner: TestRunner,
  open: OpenBreakableRepository,
  options: ContractOptions = {},
): void => {
  const { describe, it } = seededRunner(testRunner, options);

  describe('createAll, while its store breaks', () => {
    for (const [when, failing, turnsLater] of [
      ['before the first animal', 0, 0],
      ['in the middle', many / 2, 0],
      ['before the last animal', many - 1, 0],
      ['one turn after the source has ended', many, 1],
      ['five turns after the source has ended', many, 5],
    ] as const) {
      it(`stores all animals or none, and says which: ${when}`, async () => {
        const there = [petWithId(5n)];
        const { repository, breakStore, mendStore, close } = await open(there);
        try {
          const newPets = Array.from({ length: many }, arbitraryNewPet);
          let broken = Promise.resolve();
          const source = sourceOf(newPets, async (index) => {
            if (index !== failing) return;
            broken = turns(turnsLater).then(breakStore);
            if (turnsLater === 0) await broken;
          });
          const outcome = await repository.createAll(source)();
          await broken;
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
