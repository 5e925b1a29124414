import { arbitraryScopedIdempotencyKey, arbitraryNewPet } from './arbitrary';
import { expectEqual } from './expect-equal';
import { success } from './outcome';
import { type OpenPetRepository, useRepository } from './pet-repository/open-pet-repository';
import { allPets } from './pet-repository/pages-of';
import { seededRunner } from './seeded-runner';
import type { TestRunner } from './test-runner';

const start = Date.UTC(2026, 1, 28);
const minute = 60 * 1000;
const day = 24 * 60 * minute;

/**
 * Defines the tests of the 24-hour lifetime of idempotency keys. The tests set the clock that they pass to `open`. A
 * store that uses another clock can make its keys older instead, because the tests allow for a minute of running time.
 */
export const idempotencyExpiryContract = (
  testRunner: TestRunner,
  open: OpenPetRepository,
  options: { readonly seed?: number } = {},
): void => {
  const { describe, it } = seededRunner(testRunner, options);
  const use = useRepository(open);
  const atTime = (test: (clock: { time: number }) => Parameters<typeof use>[1]): Promise<void> => {
    const clock = { time: start };
    return use({ now: () => clock.time }, test(clock));
  };

  describe('as a pet repository whose idempotency keys expire', () => {
    it('replays a create for 24 hours, and creates a new animal afterwards', () =>
      atTime((clock) => async (repository) => {
        const [idempotency, newPet] = [arbitraryScopedIdempotencyKey(), arbitraryNewPet()];
        const { pet } = await success(repository.create(newPet, { idempotency }));
        clock.time = start + day - minute;
        expectEqual(
          'a retry a minute before 24 hours have passed',
          await success(repository.create(newPet, { idempotency })),
          { pet, replayed: true },
        );
        clock.time = start + day;
        const next = await success(repository.create(newPet, { idempotency }));
        expectEqual('replayed, of a retry after 24 hours', next.replayed, false);
        expectEqual('the list', await allPets(repository), [pet, next.pet]);
        expectEqual('a retry of the second', await success(repository.create(newPet, { idempotency })), {
          pet: next.pet,
          replayed: true,
        });
      }));

    it('accepts another animal under an expired key', () =>
      atTime((clock) => async (repository) => {
        const idempotency = arbitraryScopedIdempotencyKey();
        await success(repository.create(arbitraryNewPet(), { idempotency }));
        clock.time = start + day;
        const { replayed } = await success(repository.create(arbitraryNewPet(), { idempotency }));
        expectEqual('replayed, of another animal under an expired key', replayed, false);
      }));

    it('expires each of many keys at its own time', () =>
      atTime((clock) => async (repository) => {
        const creations = Array.from({ length: 20 }, () => ({
          newPet: arbitraryNewPet(),
          idempotency: arbitraryScopedIdempotencyKey(),
        }));
        const run = ({ newPet, idempotency }: (typeof creations)[number]) =>
          success(repository.create(newPet, { idempotency }));
        for (const creation of creations) {
          await run(creation);
          clock.time += 10 * minute;
        }
        clock.time = start + day + 95 * minute;
        const replayed = (await Promise.all(creations.map(run))).map((made) => made.replayed);
        expectEqual(
          'replayed, of 20 retries of which 10 come in time',
          replayed,
          creations.map((_, index) => index >= 10),
        );
      }));
  });
};
