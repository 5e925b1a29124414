import { expectEqual, fail, shown } from './expect-equal';

type Outcome<E, A> =
  { readonly _tag: 'Left'; readonly left: E } | { readonly _tag: 'Right'; readonly right: A };

interface Codec<A> {
  readonly name: string;
  readonly decode: (input: unknown) => Outcome<unknown, A>;
}

/** Runs a task that must succeed, and returns its result. */
export const success = async <E, A>(
  effect: () => Promise<Outcome<E, A>>,
  what = 'what has to succeed',
): Promise<A> => {
  const outcome = await effect();
  if (outcome._tag === 'Left') return fail(`${what}: it failed with ${shown(outcome.left)}`);
  return outcome.right;
};

/** Runs a task that must fail with this tag. */
export const expectFailure = async <E extends { readonly _tag: string }, A>(
  what: string,
  effect: () => Promise<Outcome<E, A>>,
  tag: E['_tag'],
): Promise<void> => {
  const outcome = await effect();
  if (outcome._tag === 'Right')
    return fail(`${what}: expected ${tag}, but it answered ${shown(outcome.right)}`);
  expectEqual(`${what}, the failure`, outcome.left._tag, tag);
};

/** Runs a task that must return the expected value or failure tag, unless it is Unavailable. */
export const expectUnlessUnavailable = async <E extends { readonly _tag: string }, A>(
  what: string,
  effect: () => Promise<Outcome<E, A>>,
  expected: A | E['_tag'],
): Promise<void> => {
  const outcome = await effect();
  const answer = outcome._tag === 'Right' ? outcome.right : outcome.left._tag;
  if (answer !== 'Unavailable') expectEqual(what, answer, expected);
};

/** Runs tasks concurrently, and returns their outcomes in order. */
export const atOnce = <E, A>(
  effects: ReadonlyArray<() => Promise<Outcome<E, A>>>,
): Promise<ReadonlyArray<Outcome<E, A>>> => Promise.all(effects.map((effect) => effect()));

export const decoded = <A>(codec: Codec<A>, value: unknown): A => {
  const outcome = codec.decode(value);
  if (outcome._tag === 'Left') return fail(`${shown(value)} is no ${codec.name}`);
  return outcome.right;
};
