import { newSeed, seedRandom } from './arbitrary';
import { withNote } from './expect-equal';
import type { TestRunner } from './test-runner';

/**
 * Returns a test runner with reproducible random values. The seed and the title determine the values of a test, so that
 * they are the same if the test runs alone. The default seed is random, and the message of a failed test names it.
 */
export const seededRunner = (
  { describe, it }: TestRunner,
  { seed = newSeed() }: { readonly seed?: number },
): TestRunner => ({
  describe,
  it: (title, check) =>
    it(title, async () => {
      seedRandom(seed, title);
      try {
        await check();
      } catch (error) {
        throw withNote(error, `random values of seed ${seed}: pass { seed: ${seed} } to have them again`);
      }
    }),
});
