import { type NewPet, type PetMaintenance, type PetRepository } from '../../core';
import { arbitraryNewPet, arbitraryScopedIdempotencyKey } from './arbitrary';
import { expectEqual } from './expect-equal';
import { closeAfter, expectFailure, success } from './outcome';
import { expectAlike } from './pet-repository/filterings';
import { longestName } from './pet-repository/keeps-every-letter';
import { allPets } from './pet-repository/pages-of';
import { seededRunner } from './seeded-runner';
import { sourceOf } from './source-of';
import type { TestRunner } from './test-runner';

/** A repository whose store can be closed and reopened, as in a restart of its process. */
type ReopenableRepository = Readonly<{
  /** The tests use `importAll` if there is one, and otherwise `create`. */
  repository: PetRepository & Partial<PetMaintenance>;
  /** Closes the store, and returns a new repository on it. */
  reopen: () => Promise<PetRepository>;
  close: () => Promise<void>;
}>;

/** Opens a repository without animals. Its idempotency keys expire by the clock `now`, also after it is reopened. */
type OpenReopenableRepository = (options: { readonly now: () => number }) => Promise<ReopenableRepository>;

/** Returns animals with values that a faulty store may alter, such as the last digits of an int64. */
const awkwardPets = (): ReadonlyArray<NewPet> =>
  [2n ** 63n - 1n, -(2n ** 63n), 9007199254740993n].flatMap((digits) =>
    ['', longestName, 'e\u0301', '\u00e9', '"\\\n\r\t', '\ufeff', '\u2028', '🐢'].map((name) => ({
      name: name,
      categoryId: digits,
    })),
  );

const addAll = async (
  { importAll, create }: ReopenableRepository['repository'],
  newPets: ReadonlyArray<NewPet>,
): Promise<void> => {
  if (importAll !== undefined) await success(importAll(sourceOf(newPets)));
  else for (const newPet of newPets) await success(create(newPet));
};

/** Defines the tests of a persistent repository whose store is closed and reopened. */
export const reopenedRepositoryContract = (
  testRunner: TestRunner,
  open: OpenReopenableRepository,
  options: { readonly seed?: number } = {},
): void => {
  const { describe, it } = seededRunner(testRunner, options);

  const use = async (
    test: (opened: ReopenableRepository) => Promise<void>,
    now: () => number = Date.now,
  ): Promise<void> => {
    const opened = await open({ now });
    return closeAfter(
      () => test(opened),
      () => opened.close(),
    );
  };

  describe('as a pet repository that is closed and reopened', () => {
    it('lists and finds every animal with every digit and letter', () =>
      use(async ({ repository, reopen }) => {
        const newPets = [...awkwardPets(), ...Array.from({ length: 20 }, arbitraryNewPet)];
        for (const newPet of newPets) await success(repository.create(newPet));
        await addAll(repository, newPets);
        const before = await allPets(repository);
        expectEqual('how many are listed before', before.length, 2 * newPets.length);
        expectEqual('the list', await expectAlike(await reopen()), before);
      }));

    it('replays a create with a key, and refuses another animal under it', () =>
      use(async ({ repository, reopen }) => {
        const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
        const { pet } = await success(repository.create(newPet, { idempotency }));
        const reopened = await reopen();
        const other = { ...newPet, name: `${newPet.name} the second` };
        await expectFailure(
          'another animal under the key',
          reopened.create(other, { idempotency }),
          'IdempotencyKeyReused',
        );
        expectEqual('the retry', await success(reopened.create(newPet, { idempotency })), {
          pet,
          replayed: true,
        });
        expectEqual('the list', await allPets(reopened), [pet]);
      }));

    it('replays each of many creates', () =>
      use(async ({ repository, reopen }) => {
        const creates = Array.from({ length: 120 }, () => ({
          newPet: arbitraryNewPet(),
          idempotency: arbitraryScopedIdempotencyKey(),
        }));
        const runAll = (on: PetRepository) =>
          Promise.all(creates.map(({ newPet, idempotency }) => success(on.create(newPet, { idempotency }))));
        const made = await runAll(repository);
        expectEqual(
          'the retries',
          await runAll(await reopen()),
          made.map(({ pet }) => ({ pet, replayed: true })),
        );
      }));

    it('expires idempotency keys 24 hours after their create', () => {
      const clock = { time: Date.UTC(2026, 1, 28) };
      return use(
        async ({ repository, reopen }) => {
          const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
          await success(repository.create(newPet, { idempotency }));
          const reopened = await reopen();
          clock.time += 24 * 60 * 60 * 1000;
          const { replayed } = await success(reopened.create(newPet, { idempotency }));
          expectEqual('replayed, of a retry after 24 hours by the clock `now`', replayed, false);
        },
        () => clock.time,
      );
    });

    it('assigns ids that no other animal has', () =>
      use(async ({ repository, reopen }) => {
        await addAll(repository, Array.from({ length: 10 }, arbitraryNewPet));
        const reopened = await reopen();
        const before = await allPets(reopened);
        const { pet } = await success(reopened.create(arbitraryNewPet()));
        expectEqual('the list', await allPets(reopened), [...before, pet]);
      }));
  });
};
