import type { Deadline, PetMaintenance, PetRepository } from '../../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { nextTurn } from '../next-turn';
import { expectUnlessUnavailable, success } from '../outcome';
import { sourceOf } from '../source-of';
import type { TestRunner } from '../test-runner';
import {
  brokenStoreSeed,
  correctsOnBrokenStore,
  createsOnBrokenStore,
  importsOnBrokenStore,
  type UseBreakable,
} from './broken-store';
import { creates } from './creates';
import { createsAtOnce } from './creates-at-once';
import { keepsEveryDigit } from './keeps-every-digit';
import { keepsEveryLetter } from './keeps-every-letter';
import { listsInPages } from './lists-in-pages';
import type { MaintainedRepository, UseRepository } from './open-pet-repository';
import { allPets, largestPage } from './pages-of';
import { replays } from './replays';
import { petWithId } from './seeds';

/** Tests of one function of a port, for the contract suites and for the tests of an adapter. */
interface PortFunction<Repository> {
  /** Calls the function with an id, if it takes one, and otherwise with fixed or random values. */
  readonly call: (
    repository: Repository,
    id: bigint,
    deadline?: Deadline,
  ) => () => Promise<
    { readonly _tag: 'Left'; readonly left: unknown } | { readonly _tag: 'Right'; readonly right: unknown }
  >;
  /** Defines the tests of the function on a store that rejects writes for a while. */
  readonly onBrokenStore: (runner: TestRunner, use: UseBreakable<Repository>) => void;
}

interface RepositoryFunction extends PortFunction<PetRepository> {
  /** Tests that `petRepositoryContract` defines for the function. */
  readonly suites: ReadonlyArray<(runner: TestRunner, use: UseRepository) => void>;
  /** Checks a call whose deadline has passed, on a store that holds `deadlineSeed`. */
  readonly afterDeadline: (repository: PetRepository, passed: Deadline) => Promise<void>;
}

export const deadlineSeed = petWithId(5n);

/** Maximum time to retry a create. It is long enough for the earlier create to end on a busy machine. */
const retryForMs = 5_000;

/** Retries a create while an earlier create with its key is in progress. */
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

/** Functions of the port PetRepository. The compiler reports a missing one. */
export const repositoryFunctions: { readonly [Name in keyof PetRepository]: RepositoryFunction } = {
  list: {
    call: ({ list }, _id, deadline) => list({ limit: 1 }, deadline),
    suites: [listsInPages],
    afterDeadline: async ({ list }, passed) => {
      const page = { pets: [deadlineSeed], hasMore: false };
      await expectUnlessUnavailable('a page', list({ limit: largestPage }, passed), page);
    },
    onBrokenStore: ({ it }, use) => {
      it(
        'lists correctly, or is Unavailable, while the store rejects writes',
        use(async ({ repository, breakStore, mendStore }) => {
          const page = { pets: [brokenStoreSeed], hasMore: false };
          await breakStore();
          await expectUnlessUnavailable('the page', repository.list({ limit: largestPage }), page);
          await mendStore();
          expectEqual('the page then', await success(repository.list({ limit: largestPage })), page);
        }),
      );
    },
  },
  find: {
    call: ({ find }, id, deadline) => find(id, deadline),
    suites: [keepsEveryDigit, keepsEveryLetter],
    afterDeadline: async ({ find }, passed) => {
      await expectUnlessUnavailable('what is found, too late', find(deadlineSeed.id, passed), deadlineSeed);
      await expectUnlessUnavailable(
        'what is found by an id that no animal has',
        find(6n, passed),
        'PetNotFound',
      );
    },
    onBrokenStore: ({ it }, use) => {
      it(
        'finds correctly, or is Unavailable, while the store rejects writes',
        use(async ({ repository, breakStore, mendStore }) => {
          await breakStore();
          const { id } = brokenStoreSeed;
          await expectUnlessUnavailable('what is found', repository.find(id), brokenStoreSeed);
          await expectUnlessUnavailable('what is found by another id', repository.find(6n), 'PetNotFound');
          await mendStore();
          expectEqual('what is found then', await success(repository.find(id)), brokenStoreSeed);
        }),
      );
    },
  },
  create: {
    call: ({ create }, _id, deadline) => create(arbitraryNewPet(), { deadline }),
    suites: [creates, createsAtOnce, replays],
    afterDeadline: async (repository, passed) => {
      const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
      const late = await repository.create(newPet, { idempotency, deadline: passed })();
      if (late._tag === 'Left') expectEqual('the failure of a create', late.left._tag, 'Unavailable');
      const retry = await success(onceEnded(repository.create(newPet, { idempotency })), 'its retry');
      if (late._tag === 'Right') expectEqual('the retry', retry, { pet: late.right.pet, replayed: true });
      expectEqual('the list then', await allPets(repository), [deadlineSeed, retry.pet]);
    },
    onBrokenStore: createsOnBrokenStore,
  },
};

/** Functions of the port PetMaintenance. The compiler reports a missing one. */
export const maintenanceFunctions: {
  readonly [Name in keyof PetMaintenance]: PortFunction<MaintainedRepository>;
} = {
  importAll: {
    call: ({ importAll }) => importAll(sourceOf([arbitraryNewPet()])),
    onBrokenStore: importsOnBrokenStore,
  },
  update: {
    call: ({ update }, id) => update(id, { categoryId: 7n }),
    onBrokenStore: correctsOnBrokenStore('update', ({ update }, id) => update(id, { categoryId: 7n })),
  },
  deleteByIds: {
    call: ({ deleteByIds }, id) => deleteByIds([id]),
    onBrokenStore: correctsOnBrokenStore('deleteByIds', ({ deleteByIds }, id) => deleteByIds([id])),
  },
};

/** Functions of both ports. */
export const portFunctions: Readonly<
  Record<keyof MaintainedRepository, Pick<PortFunction<MaintainedRepository>, 'call'>>
> = { ...repositoryFunctions, ...maintenanceFunctions };
