import * as fc from 'fast-check';

const toCodePoint = (text: unknown): number => {
  const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
  if (code === undefined || String.fromCodePoint(code) !== text) throw new TypeError('it is no character');
  return code;
};

/** Any code point of Unicode but surrogates. fast-check's own makes a table of a million of them in each process. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code), toCodePoint);
