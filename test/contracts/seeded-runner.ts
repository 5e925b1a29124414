import { types } from 'node:util';
import { newSeed, seedRandom } from './arbitrary/random';
import type { TestRunner } from './test-runner';

/** What a contract suite may be told. */
export interface ContractOptions {
  /** Where its random values come from. By default another one each time; the message of a failed test names it. */
  readonly seed?: number;
}

const withSeed = (error: unknown, seed: number): unknown => {
  // Not by instanceof: a runner may give each file a class Error of its own.
  if (!types.isNativeError(error)) return error;
  const message = `${error.message}\n(random values of seed ${seed}: pass { seed: ${seed} } to have them again)`;
  // Runners show the stack, which begins with the message.
  error.stack = error.stack?.replace(error.message, () => message) ?? message;
  error.message = message;
  return error;
};

/**
 * The same runner, whose tests each begin with the random values of the seed and of their own title: one test gets the
 * same values whether it runs alone or with others.
 */
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
