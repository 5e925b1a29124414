import type { PetRepository, Unavailable } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { nextTurn } from '../next-turn';
import { allEnded, atOnce, expectFailure, outcomeOf, success } from '../outcome';
import { sourceOf } from '../source-of';
import type { TestRunner } from '../test-runner';
import { expectAlike } from './filterings';
import type { MaintainedRepository } from './open-pet-repository';
import { allPets } from './pages-of';
import { contentOf, contentText, petWithId } from './seeds';

/** A repository whose store a test can break and repair. */
interface Breakable<Repository = PetRepository> {
  readonly repository: Repository;
  readonly breakStore: () => Promise<void>;
  readonly mendStore: () => Promise<void>;
  readonly reopen: () => Promise<PetRepository>;
}

/** Makes a test function that opens a repository with `brokenStoreSeed`, runs the test and closes the repository. */
export type UseBreakable<Repository = PetRepository> = (
  test: (breakable: Breakable<Repository>) => Promise<void>,
) => () => Promise<void>;

export const brokenStoreSeed = petWithId(5n);

/** Number of animals that is too large for one batch of an import, in every adapter. */
const many = 1_500;

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
};

/** Makes ten random creates. Every second one has an idempotency key. */
const makeCreates = () =>
  Array.from({ length: 10 }, (_, index) => ({
    newPet: arbitraryNewPet(),
    idempotency: index % 2 === 0 ? arbitraryScopedIdempotencyKey() : undefined,
  }));

const run = (repository: PetRepository, { newPet, idempotency }: ReturnType<typeof makeCreates>[number]) =>
  repository.create(newPet, { idempotency });

/** Runs creates while the store breaks, then repairs the store. Returns the outcomes of the creates. */
const createWhileBreaking = async (
  { repository, breakStore, mendStore }: Breakable,
  creates: ReturnType<typeof makeCreates>,
  turnsBefore: number | undefined,
) => {
  if (turnsBefore === undefined) await breakStore();
  const creating = atOnce(creates.map((create) => run(repository, create)));
  const breaking = turnsBefore === undefined ? undefined : turns(turnsBefore).then(breakStore);
  const [outcomes] = await allEnded([creating, breaking]);
  await mendStore();
  for (const outcome of outcomes) {
    if (turnsBefore === undefined) expectEqual('a create after breakStore', outcome._tag, 'Left');
    if (outcome._tag === 'Left') expectEqual('the failure of a create', outcome.left._tag, 'Unavailable');
  }
  return outcomes;
};

export const createsOnBrokenStore = ({ it }: TestRunner, use: UseBreakable): void => {
  for (const [when, turnsBefore] of [
    ['before it begins', undefined],
    ['as soon as it has begun', 0],
    ['one turn after it began', 1],
    ['five turns after it began', 5],
  ] as const) {
    it(
      `shows no animal of a failed create that a restart loses: the store breaks ${when}`,
      use(async (breakable) => {
        await createWhileBreaking(breakable, makeCreates(), turnsBefore);
        // Nothing is written before the restart, because a write could store animals that are only in memory.
        const before = await expectAlike(breakable.repository);
        const ids = new Set(before.map(({ id }) => id));
        // A create that failed with Unavailable may still be stored later, so more animals may be listed after the
        // restart.
        const after = await expectAlike(await breakable.reopen());
        expectEqual(
          'the animals listed before a restart, after it',
          after.filter(({ id }) => ids.has(id)),
          before,
        );
      }),
    );

    it(
      `creates an animal that survives a restart, or none: the store breaks ${when}`,
      use(async (breakable) => {
        const { repository, reopen } = breakable;
        const creates = makeCreates();
        const outcomes = await createWhileBreaking(breakable, creates, turnsBefore);
        const keyed = creates.filter(({ idempotency }) => idempotency !== undefined);
        const retries = [];
        for (const create of keyed) retries.push(await success(run(repository, create), 'a retry'));
        const before = await allPets(repository);
        const reopened = await reopen();
        expectEqual('the list after a restart', await allPets(reopened), before);
        for (const [index, create] of keyed.entries()) {
          expectEqual('the retry of a create after a restart', await success(run(reopened, create)), {
            pet: retries[index]?.pet,
            replayed: true,
          });
        }

        const wasAdded = (index: number): boolean => outcomes[index]?._tag === 'Right';
        const expected = creates.filter(
          ({ idempotency }, index) => idempotency !== undefined || wasAdded(index),
        );
        const failedWithoutKey = creates.filter(
          ({ idempotency }, index) => idempotency === undefined && !wasAdded(index),
        );
        const added = before.filter(({ id }) => id !== brokenStoreSeed.id).map((pet) => contentText(pet));
        // A create that failed without a key may still have been stored, but only once.
        const mayBe = failedWithoutKey.map(({ newPet }) => contentText(newPet));
        expectEqual(
          'the animals of creates that succeeded, or that were retried with a key, each once',
          added.filter((words) => !mayBe.includes(words)).sort(),
          expected.map(({ newPet }) => contentText(newPet)).sort(),
        );
        expectEqual('whether an animal is there twice', new Set(added).size, added.length);
      }),
    );
  }
};

export const importsOnBrokenStore = ({ it }: TestRunner, use: UseBreakable<MaintainedRepository>): void => {
  for (const [when, failing, turnsLater] of [
    ['before the first animal', 0, 0],
    ['in the middle', many / 2, 0],
    ['before the last animal', many - 1, 0],
    ['one turn after the source has ended', many, 1],
    ['five turns after the source has ended', many, 5],
  ] as const) {
    it(
      `imports all animals or none, and says which: the store breaks ${when}`,
      use(async ({ repository, breakStore, mendStore, reopen }) => {
        const newPets = Array.from({ length: many }, arbitraryNewPet);
        let broken = Promise.resolve();
        const source = sourceOf(newPets, async (index) => {
          if (index !== failing) return;
          broken = turns(turnsLater).then(breakStore);
          // Prevents an unhandled rejection. The test awaits `broken` after the import.
          broken.catch(() => undefined);
          if (turnsLater === 0) await broken;
        });
        const importing = outcomeOf('importAll', repository.importAll(source));
        const outcome = await importing.finally(() => broken);
        await mendStore();

        const answer = outcome._tag === 'Right' ? 'a success' : outcome.left._tag;
        const listed = await allPets(repository);
        const added = listed.slice(1).map(contentOf);
        const isAll = outcome._tag === 'Right' || (answer === 'Unavailable' && added.length > 0);
        expectEqual(`the animals that are stored after ${answer}`, added, isAll ? newPets : []);
        if (outcome._tag === 'Right') expectEqual('the number of animals added', outcome.right.count, many);

        const next = await success(repository.create(arbitraryNewPet()), 'a create after that');
        expectEqual('what is found then', await success(repository.find(next.pet.id)), next.pet);
        expectEqual('the list after a restart', await allPets(await reopen()), [...listed, next.pet]);
      }),
    );
  }
};

/** Defines the test of a function that changes or deletes one animal. */
export const correctsOnBrokenStore =
  (
    name: string,
    call: (
      repository: MaintainedRepository,
      id: bigint,
    ) => () => Promise<
      | { readonly _tag: 'Left'; readonly left: Unavailable | { readonly _tag: 'PetNotFound' } }
      | { readonly _tag: 'Right'; readonly right: unknown }
    >,
  ) =>
  ({ it }: TestRunner, use: UseBreakable<MaintainedRepository>): void => {
    it(
      `changes nothing by ${name} while the store rejects writes`,
      use(async ({ repository, breakStore, mendStore, reopen }) => {
        await breakStore();
        await expectFailure(name, call(repository, brokenStoreSeed.id), 'Unavailable');
        await mendStore();
        expectEqual('the list then', await allPets(repository), [brokenStoreSeed]);
        await success(call(repository, brokenStoreSeed.id), name);
        const after = await allPets(repository);
        expectEqual('the list after a restart', await allPets(await reopen()), after);
      }),
    );
  };
