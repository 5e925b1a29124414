import { expectEqual, fail, shown, withNote } from './expect-equal';

type Outcome<E, A> =
  { readonly _tag: 'Left'; readonly left: E } | { readonly _tag: 'Right'; readonly right: A };

interface Codec<A> {
  readonly name: string;
  readonly decode: (input: unknown) => Outcome<unknown, A>;
}

type Task<E, A> = () => Promise<Outcome<E, A>>;

/** Runs a TaskEither of a port. Fails if its promise rejects, because a port must return its failures. */
export const outcomeOf = async <E, A>(what: string, effect: Task<E, A>): Promise<Outcome<E, A>> => {
  try {
    return await effect();
  } catch (cause) {
    const rejected = `${what}: its promise rejected with ${String(cause)}`;
    return fail(`${rejected}. A port never rejects: a failure is a Left, such as unavailable(error)`, {
      cause,
    });
  }
};

export const success = async <E, A>(effect: Task<E, A>, what = 'what has to succeed'): Promise<A> => {
  const outcome = await outcomeOf(what, effect);
  if (outcome._tag === 'Left') return fail(`${what}: it failed with ${shown(outcome.left)}`);
  return outcome.right;
};

/** Runs a TaskEither that must fail with this tag. */
export const expectFailure = async <E extends { readonly _tag: string }, A>(
  what: string,
  effect: Task<E, A>,
  tag: E['_tag'],
): Promise<void> => {
  const outcome = await outcomeOf(what, effect);
  if (outcome._tag === 'Right')
    return fail(`${what}: expected ${tag}, but it answered ${shown(outcome.right)}`);
  expectEqual(`${what}, the failure`, outcome.left._tag, tag);
};

/** Runs a TaskEither that must return the expected value or failure tag. Unavailable is accepted too. */
export const expectUnlessUnavailable = async <E extends { readonly _tag: string }, A>(
  what: string,
  effect: Task<E, A>,
  expected: A | E['_tag'],
): Promise<void> => {
  const outcome = await outcomeOf(what, effect);
  const answer = outcome._tag === 'Right' ? outcome.right : outcome.left._tag;
  if (answer !== 'Unavailable') expectEqual(what, answer, expected);
};

/** Returns the names of the calls that have not ended after this time. */
export const unendedAfter = async (
  milliseconds: number,
  calls: Readonly<Record<string, Promise<unknown>>>,
): Promise<ReadonlyArray<string>> => {
  const unended = new Set(Object.keys(calls));
  const ending = Object.entries(calls).map(([name, call]) => call.finally(() => unended.delete(name)));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  try {
    await Promise.race([Promise.all(ending), tooLate]);
  } finally {
    clearTimeout(timer);
  }
  return [...unended];
};

/**
 * Runs a test and closes its resources. If both fail, the error of the test is reported, with a note about the other.
 */
export const closeAfter = async (test: () => Promise<void>, close: () => Promise<void>): Promise<void> => {
  try {
    await test();
  } catch (error) {
    try {
      await close();
    } catch (closing) {
      throw withNote(error, `after that, closing failed too: ${String(closing)}`);
    }
    throw error;
  }
  await close();
};

/** Runs tasks concurrently, and returns their outcomes in order. */
export const atOnce = <E, A>(effects: ReadonlyArray<Task<E, A>>): Promise<ReadonlyArray<Outcome<E, A>>> =>
  allEnded(effects.map((effect) => outcomeOf('one of several calls at once', effect)));

export const decoded = <A>(codec: Codec<A>, value: unknown): A => {
  const outcome = codec.decode(value);
  if (outcome._tag === 'Left') return fail(`${shown(value)} is no ${codec.name}`);
  return outcome.right;
};

const settleMs = 5_000;

/**
 * Returns the results of all promises. If one rejects, rejects only after the others have ended, so that none outlasts
 * its test.
 */
export const allEnded = async <A extends ReadonlyArray<unknown> | []>(
  promises: A,
): Promise<{ -readonly [Index in keyof A]: Awaited<A[Index]> }> => {
  try {
    return await Promise.all(promises);
  } catch (error) {
    await unendedAfter(settleMs, { others: Promise.allSettled(promises) });
    throw error;
  }
};
