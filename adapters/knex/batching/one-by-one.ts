import { toError } from '../database/database-error';

/** So few that what waits for a lock leaves connections to others. */
const lanes = 4;

/** How long a next one is begun, in milliseconds. */
const timeoutMs = 1_500;

/** Works on each of many by itself, a few at a time; each answer, or failure, stands where its own stood. */
export const oneByOne = async <A, B>(
  work: (one: A) => Promise<B>,
  all: ReadonlyArray<A>,
): Promise<ReadonlyArray<B | Error>> => {
  const until = performance.now() + timeoutMs;
  const answers = new Map<number, B | Error>();
  const queue = all.entries();
  const drain = async (): Promise<void> => {
    for (const [place, one] of queue) {
      if (performance.now() > until) return;
      answers.set(place, await work(one).catch(toError));
    }
  };
  await Promise.all(Array.from({ length: lanes }, drain));
  return all.map((_, place) => answers.get(place) ?? new Error('no time was left to try it alone'));
};
