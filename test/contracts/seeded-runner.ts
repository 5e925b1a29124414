import { newSeed, seedRandom } from './arbitrary';
import { withNote } from './expect-equal';
import type { TestRunner } from './test-runner';

/** Options of a contract suite. */
export interface ContractOptions {
  /** Seed of the random values. By default it changes each time; the message of a failed test has it. */
  readonly seed?: number;
}

/** Returns a runner that seeds each test by the seed and its title, so that a test has the same values when it runs alone. */
export const seededRunner = (
  { describe, it }: TestRunner,
  { seed = newSeed() }: ContractOptions,
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
