import type { TaskEither } from 'fp-ts/TaskEither';
import { inspect } from 'node:util';

/** Runs a TaskEither that must succeed, and returns its result. */
export const run = async <E, A>(effect: TaskEither<E, A>): Promise<A> => {
  const outcome = await effect();
  if (outcome._tag === 'Left') throw new Error(inspect(outcome.left));
  return outcome.right;
};
