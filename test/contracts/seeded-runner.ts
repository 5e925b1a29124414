import { types } from 'node:util';
import { newSeed, seedRandom } from './arbitrary';
import type { TestRunner } from './test-runner';

/** Options of a contract suite. */
export interface ContractOptions {
  /** Seed of the random values. By default it changes each time; the message of a failed test has it. */
  readonly seed?: number;
}

const withSeed = (error: unknown, seed: number): unknown => {
  // A runner may give each file its own class Error, so that instanceof fails.
  if (!types.isNativeError(error)) return error;
  const message = `${error.message}\n(random values of seed ${seed}: pass { seed: ${seed} } to have them again)`;
  // Runners print the stack, which begins with the message.
  error.stack = error.stack?.replace(error.message, () => message) ?? message;
  error.message = message;
  return error;
};

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
        throw withSeed(error, seed);
      }
    }),
});
