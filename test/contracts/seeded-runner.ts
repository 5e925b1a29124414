import { newSeed, seedRandom } from './arbitrary';
import { withNote } from './expect-equal';
import type { TestRunner } from './test-runner';

/**
 * Returns a runner that seeds each test by the seed and its title, so that a test has the same values when it runs alone. The
 * default seed is random, and the message of a failed test has it.
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
