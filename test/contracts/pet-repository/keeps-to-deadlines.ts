import type { Deadline, PetRepository } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { nextTurn } from '../next-turn';
import { expectUnlessUnavailable, success } from '../outcome';
import type { TestRunner } from '../test-runner';
import type { BasicRepository, UseRepository } from './open-pet-repository';
import { allPets, largestPage } from './pages-of';
import { petId, petWithId } from './seeds';

/** Maximum time of retries until the first create with a key has ended, long enough for a busy machine. */
const retryForMs = 5_000;

/** Retries a create until the first one with its key has ended. */
const onceEnded =
  (create: ReturnType<PetRepository['create']>): typeof create =>
  async () => {
    const until = performance.now() + retryForMs;
    for (;;) {
      const outcome = await create();
      const isInFlight = outcome._tag === 'Left' && outcome.left._tag === 'IdempotencyKeyInFlight';
      if (!isInFlight || performance.now() > until) return outcome;
      await nextTurn();
    }
  };

const seed = petWithId(5n);

/** Checks of each function of the port after its deadline. A missing function does not compile. */
const tooLate: {
  readonly [Name in keyof BasicRepository]: (repository: BasicRepository, over: Deadline) => Promise<void>;
} = {
  find: async ({ find }, over) => {
    await expectUnlessUnavailable('what is found, too late', find(seed.id, over), seed);
    await expectUnlessUnavailable(
      'what is found by an id that no animal has',
      find(petId(6n), over),
      'PetNotFound',
    );
  },
  list: async ({ list }, over) => {
    const page = { pets: [seed], hasMore: false };
    await expectUnlessUnavailable('a page', list({ limit: largestPage }, over), page);
  },
  create: async (repository, over) => {
    const [key, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
    const late = await repository.create(newPet, key, over)();
    if (late._tag === 'Left') expectEqual('the failure of a create', late.left._tag, 'Unavailable');
    const retry = await success(onceEnded(repository.create(newPet, key)), 'its retry');
    if (late._tag === 'Right') expectEqual('the retry', retry, { pet: late.right.pet, replayed: true });
    expectEqual('the list then', await allPets(repository), [seed, retry.pet]);
  },
};

export const keepsToDeadlines = ({ it }: TestRunner, use: UseRepository): void => {
  for (const [name, check] of Object.entries(tooLate)) {
    it(`answers, or is Unavailable, when the deadline of ${name} is over`, () =>
      use({ pets: [seed] }, (repository) => check(repository, performance.now() - 1)));
  }
};
