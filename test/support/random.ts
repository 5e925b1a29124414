import * as fc from 'fast-check';
import { createHash } from 'node:crypto';

/** Draws the same each time it is made from the same seed. */
export interface Random {
  /** A whole number from 0 to under a bound. */
  readonly below: (bound: number) => number;
  /** A whole number; both bounds may be drawn. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <const A>(from: readonly [A, ...ReadonlyArray<A>]) => A;
  /** One of the names, each as often as its weight. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
}

/** Each name has a stream of its own, so that what one drawer does changes nothing for the others. */
export const randomFrom = (seed: number, name: string): Random => {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE();
  // mulberry32: 32 bits of state are enough for choices that nobody attacks.
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    between: (low, high) => low + below(high - low + 1),
    pick: (from) => from[below(from.length)] ?? from[0],
    weighted: <Name extends string>(weights: Readonly<Record<Name, number>>): Name => {
      const names = Object.entries<number>(weights).flatMap(([name, weight]) =>
        Array<string>(weight).fill(name),
      );
      const drawn = names[below(names.length)];
      const isName = (value: string | undefined): value is Name => value !== undefined && value in weights;
      if (!isName(drawn)) throw new Error('there is nothing to draw from');
      return drawn;
    },
  };
};

const toCodePoint = (text: unknown): number => {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== text) throw new TypeError('it is no character');
  return code;
};

/** Any code point of Unicode but surrogates. fast-check's own makes a table of a million of them in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code), toCodePoint);
