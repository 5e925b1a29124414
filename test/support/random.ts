import * as fc from 'fast-check';
import { createHash } from 'node:crypto';

/** Source of random values. The same seed gives the same values. */
export interface Random {
  /** Returns an integer from 0 up to, but not including, the bound. */
  readonly below: (bound: number) => number;
  /** Returns an integer between both bounds, which are included. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <const A>(from: readonly [A, ...ReadonlyArray<A>]) => A;
  /** Returns one of the names, with a probability in proportion to its weight. */
  readonly weighted: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name;
}

/** Makes a random source for a name, independent of the sources for other names. */
export const randomFrom = (seed: number, name: string): Random => {
  let state = createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE();
  // The algorithm mulberry32 has 32 bits of state, enough for values that need not be secret.
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

/**
 * Any code point of Unicode except surrogates. Doesn't use fast-check's generator, which makes a table of a million
 * characters in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code), toCodePoint);
