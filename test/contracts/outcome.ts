import assert from 'node:assert/strict';

type Outcome<E, A> =
  { readonly _tag: 'Left'; readonly left: E } | { readonly _tag: 'Right'; readonly right: A };

interface Codec<A> {
  readonly name: string;
  readonly decode: (input: unknown) => Outcome<unknown, A>;
}

/** Runs what must succeed, and gives what it answers. */
export const success = async <E, A>(effect: () => Promise<Outcome<E, A>>): Promise<A> => {
  const outcome = await effect();
  if (outcome._tag === 'Left') assert.fail(`it failed: ${inWords(outcome.left)}`);
  return outcome.right;
};

/** Runs what must fail, and gives the failure's tag. */
export const failure = async <E extends { readonly _tag: string }, A>(
  effect: () => Promise<Outcome<E, A>>,
): Promise<E['_tag']> => {
  const outcome = await effect();
  if (outcome._tag === 'Right') assert.fail(`it did not fail but answered ${inWords(outcome.right)}`);
  return outcome.left._tag;
};

/** Runs many effects at once, and gives their outcomes in order. */
export const atOnce = <E, A>(
  effects: ReadonlyArray<() => Promise<Outcome<E, A>>>,
): Promise<ReadonlyArray<Outcome<E, A>>> => Promise.all(effects.map((effect) => effect()));

/** Makes a branded value. */
export const decoded = <A>(codec: Codec<A>, value: unknown): A => {
  const outcome = codec.decode(value);
  if (outcome._tag === 'Left') assert.fail(`${inWords(value)} is no ${codec.name}`);
  return outcome.right;
};

const inWords = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'bigint' || member instanceof Error ? String(member) : member,
  );
