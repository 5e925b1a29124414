import type { PetRepository } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { nextTurn } from '../next-turn';
import { expectUnlessUnavailable, success } from '../outcome';
import { sourceOf } from '../source-of';
import type { TestRunner } from '../test-runner';
import type { UseRepository } from './open-pet-repository';
import { allPets, largestPage } from './pages-of';
import { petId, petWithId } from './seeds';

/** How long after its deadline a call may end, in milliseconds: a busy machine is not what is tested. */
const lateness = 5_000;

/** More than any adapter is likely to write at once. */
const many = 1_500;

/** Whether all of it has ended after so many milliseconds. */
const endsWithin = async (milliseconds: number, work: ReadonlyArray<Promise<unknown>>): Promise<boolean> => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([Promise.all(work).then(() => true), tooLate]);
  } finally {
    clearTimeout(timer);
  }
};

/** The same creation, tried until the first one under its key has ended. */
const onceEnded =
  (creation: ReturnType<PetRepository['create']>): typeof creation =>
  async () => {
    const until = performance.now() + lateness;
    for (;;) {
      const outcome = await creation();
      const isInFlight = outcome._tag === 'Left' && outcome.left._tag === 'IdempotencyKeyInFlight';
      if (!isInFlight || performance.now() > until) return outcome;
      await nextTurn();
    }
  };

export const keepsToDeadlines = ({ it }: TestRunner, use: UseRepository): void => {
  const seed = petWithId(5n);

  it('answers, or is Unavailable, when the deadline is over: the key of a creation tells what it did', () =>
    use({ pets: [seed] }, async (repository) => {
      const over = performance.now() - 1;
      await expectUnlessUnavailable('what is found, too late', repository.find(seed.id, over), seed);
      const unknown = repository.find(petId(6n), over);
      await expectUnlessUnavailable('what is found by an id that no animal has', unknown, 'PetNotFound');
      const page = { pets: [seed], hasMore: false };
      await expectUnlessUnavailable('a page', repository.list({ limit: largestPage }, over), page);

      const [key, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
      const late = await repository.create(newPet, key, over)();
      if (late._tag === 'Left') expectEqual('the failure of a creation', late.left._tag, 'Unavailable');
      const retry = await success(onceEnded(repository.create(newPet, key)), 'its retry');
      if (late._tag === 'Right') expectEqual('the retry', retry, { pet: late.right.pet, replayed: true });
      expectEqual('the list then', await allPets(repository), [seed, retry.pet]);
    }));

  it('ends at the deadline, or before, while an import goes on', () =>
    use({ pets: [seed] }, async (repository) => {
      let goOn = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      let isHeld = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        isHeld = resolve;
      });
      const source = sourceOf(Array.from({ length: many }, arbitraryNewPet), (index) => {
        if (index < many - 1) return;
        isHeld();
        return held;
      });
      const importing = repository.createAll(source)();
      await Promise.race([begun, importing]);

      const deadline = performance.now() + 100;
      const calls = [
        repository.find(seed.id, deadline)(),
        repository.list({ limit: largestPage }, deadline)(),
        repository.create(arbitraryNewPet(), undefined, deadline)(),
      ];
      try {
        const haveEnded = await endsWithin(lateness, calls);
        expectEqual(
          `whether a find, a list and a creation end ${lateness} ms later at most`,
          haveEnded,
          true,
        );
      } finally {
        goOn();
        await Promise.allSettled([importing, ...calls]);
      }
    }));
};
