/** A generator of numbers from 0 to 1, the same ones for the same seed (splitmix32). */
const generatorOf = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
};

/** A seed that nobody has chosen. */
export const newSeed = (): number => Math.floor(Math.random() * 2 ** 32);

let generator = generatorOf(newSeed());

/** The next number, from 0 to 1; 1 itself never comes. */
export const random = (): number => generator();

/** From here on the numbers are those of this seed, and of a text, so that one seed does for many tests. */
export const seedRandom = (seed: number, text = ''): void => {
  let mixed = seed;
  for (const character of text) mixed = Math.imul(mixed ^ (character.codePointAt(0) ?? 0), 0x01000193);
  generator = generatorOf(mixed);
};
