import * as fc from 'fast-check';
import { type FieldRule, fieldCheck } from '../../core';
import { anyCharacter } from './random';

/** Values of a kind of field, for tests. */
interface FieldKind {
  /** Generates valid values. Texts come from `texts`. */
  readonly valid: (texts: fc.Arbitrary<string>) => fc.Arbitrary<unknown>;
  /** Generates values of JSON that are valid or nearly valid. */
  readonly nearlyValid: fc.Arbitrary<unknown>;
  /** Values at the limits of the kind and just past them. The first one is valid. */
  readonly samples: ReadonlyArray<string | bigint>;
}

const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];

const int64s = fc.oneof(
  fc.bigInt({ min: least, max: greatest }),
  fc.constantFrom(0n, -1n, 2n ** 53n + 1n, least, greatest),
);

const nearlyTexts = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('x'.repeat(1_001), '🐕'.repeat(1_000), '🐕'.repeat(1_001), `${'🐕'.repeat(1_000)}\u0301`),
  fc.constantFrom('', '\0', 'a\0b', '\ud800', 'a\udc00b', '\udc00\ud800', '🐕', '\uffff', '\n', 'e\u0301'),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)))
    .map((units) => units.join('')),
);

/** Generates doubles, many of them integers near the limits of int64. */
const doubles = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(Number),
  fc.constantFrom(0, -0, 2 ** 63, -(2 ** 63), 2 ** 63 - 1024, -(2 ** 63) - 2048, 2 ** 64, 1e18, 1e19, 1e300),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const nearlyStatuses = fc.oneof(
  fc.constantFrom(
    'available',
    'pending',
    'sold',
    'Sold',
    'sold ',
    '',
    'toString',
    '__proto__',
    'constructor',
  ),
  fc.string(),
);

/** Returns the values for a field. The compiler reports a kind without values. */
export const fieldKind = (rule: FieldRule): FieldKind => {
  switch (rule.kind) {
    case 'text':
      return {
        valid: (texts) => texts.filter((text) => fieldCheck(rule).decode(text) !== undefined),
        nearlyValid: nearlyTexts,
        samples: ['é🐕', '', 'x'.repeat(rule.maxLength), 'x'.repeat(rule.maxLength + 1), 'a\0b'],
      };
    case 'int64':
      return {
        valid: () => int64s,
        nearlyValid: doubles,
        samples: [least, least - 1n, greatest, greatest + 1n],
      };
    case 'enumeration':
      return {
        valid: () => fc.constantFrom(...rule.values),
        nearlyValid: nearlyStatuses,
        samples: [...rule.values, 'Sold'],
      };
  }
};
