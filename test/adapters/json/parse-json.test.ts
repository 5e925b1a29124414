import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import { LosslessNumber } from 'lossless-json';
import { parseJsonBytes } from '../../../adapters/json';
import { isJson } from '../../support/is-json';
import { anyCharacter } from '../../support/random';

const valueOf = (text: string): unknown => {
  const outcome = parseJsonBytes(new TextEncoder().encode(text));
  return outcome._tag === 'Right' ? outcome.right : undefined;
};

/** Replaces bigints by doubles, as JSON.parse returns them. A negative zero becomes zero. */
const withDoubles = (value: unknown): unknown => {
  if (typeof value === 'bigint' || value instanceof LosslessNumber) return Number(value) + 0;
  if (typeof value === 'number') return value + 0;
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withDoubles(member)]));
};

const integers = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n }).filter((integer) => integer !== 0n);

const spaces = fc.constantFrom('', ' ', '\n', '\t', '\r\n');

/** Generates JSON texts with white space between tokens. */
const jsonTexts = fc
  .tuple(fc.json({ stringUnit: 'binary', depthSize: 'medium' }), spaces)
  .map(([text, space]) =>
    text.replace(/"(?:[^"\\]|\\.)*"|[[\]{}:,]/gs, (token) => `${space}${token}${space}`),
  );

describe('parseJsonBytes', () => {
  it('gives what JSON.parse gives, for any JSON', () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        expect(withDoubles(valueOf(text))).to.deep.equal(withDoubles(JSON.parse(text)));
      }),
    );
  });

  it('refuses what JSON.parse refuses, for any text', () => {
    const damaged = fc
      .tuple(jsonTexts, fc.nat(), fc.string({ maxLength: 2, unit: anyCharacter }))
      .map(([text, far, junk]) => {
        const at = far % (text.length + 1);
        return text.slice(0, at) + junk + text.slice(at + 1);
      });
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ unit: anyCharacter })), (text) => {
        if (!isJson(text)) expect(valueOf(text)).to.equal(undefined);
      }),
      { numRuns: 500 },
    );
  });

  it('gives integers to the last digit', () => {
    fc.assert(
      fc.property(integers, fc.nat(20), (integer, zeros) => {
        expect(valueOf(integer.toString())).to.equal(integer);
        expect(valueOf(`${integer.toString()}.${'0'.repeat(zeros + 1)}`)).to.equal(integer);
        expect(valueOf(`${integer.toString()}${'0'.repeat(zeros)}e-${zeros}`)).to.equal(integer);
      }),
    );
  });

  for (const text of ['7', '7.0', '7e0', '70e-1', '0.7e1', '0.0007E+4', '7.000000000000000000000000']) {
    it(`takes ${text} for the integer 7`, () => {
      expect(valueOf(text)).to.equal(7n);
    });
  }

  for (const text of ['0', '-0', '0.0', '-0.0e5', '0e-400', '0e99999', '0e99999999999999999999']) {
    it(`takes ${text} for the integer 0`, () => {
      expect(valueOf(text)).to.equal(0n);
    });
  }

  for (const text of [
    ...['1e-400', '-1e-1', '0.5', '7.00000000000000000001', '1e400', '1e99999999999999999999'],
    ...['1e-99999999999999999999', `0.${'0'.repeat(50_000)}1`],
  ]) {
    it(`takes ${text.slice(0, 40)} for no integer that is kept`, () => {
      const value = valueOf(text);
      expect(value).to.be.instanceOf(LosslessNumber);
      expect(String(value)).to.equal(text);
    });
  }

  it('refuses a name that stands twice in an object, at any depth, equal values too', () => {
    const wrappings = fc.array(
      fc.constantFrom(
        (text: string) => `[1,${text},"]"]`,
        (text: string) => `{"x":":","y":${text}}`,
      ),
      { maxLength: 20 },
    );
    const names = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom('__proto__', 'constructor', '', ':', '"'),
    );
    fc.assert(
      fc.property(wrappings, names, fc.json(), fc.json(), fc.boolean(), (wrap, name, one, other, equal) => {
        const members = [
          `${JSON.stringify(name)}:${one}`,
          `"not ${JSON.stringify(name).slice(1)}:0`,
          `${JSON.stringify(name)}:${equal ? one : other}`,
        ];
        const nest = (text: string) => wrap.reduce((inner, around) => around(inner), text);
        expect(valueOf(nest(`{${members.join()}}`))).to.equal(undefined);
        expect(valueOf(nest(`{${members.slice(1).join()}}`))).not.to.equal(undefined);
      }),
    );
  });

  for (const [text, reason] of [
    ['', 'unexpected end at position 0'],
    ['{"name":"Rex","categoryId":7', 'unexpected end at position 28'],
    ['{"name":"Rex', 'unexpected end at position 12'],
    ['{"name":Rex}', 'unexpected character at position 8'],
    ['[1,]', 'unexpected character at position 3'],
    [String.raw`["secret\x"]`, 'unexpected character at position 8'],
    ['[-secret]', 'unexpected character at position 2'],
    ['\uFEFF[]', 'begins with a byte order mark; send it without'],
    ['{"secret at position 1":1,"secret at position 1":2}', 'duplicate key at position 27'],
    ['{"secret":1,"secret":1}', 'duplicate key in object'],
  ] as const) {
    it(`names the fault and its position, without the text: ${text}`, () => {
      const outcome = parseJsonBytes(new TextEncoder().encode(text));
      expect(outcome).to.deep.equal(E.left({ _tag: 'MalformedJson', reason }));
    });
  }

  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    it(`takes 100 levels of ${open}, and refuses more of them, closed or not, at once`, () => {
      const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
      expect(valueOf(nested(100))).not.to.equal(undefined);
      for (const text of [nested(101), nested(30_000), open.repeat(100_000)]) {
        expect(valueOf(text)).to.equal(undefined);
      }
    });
  }

  it('takes brackets in names and texts for no levels', () => {
    const text = JSON.stringify({ ['{['.repeat(500)]: '"[{\\'.repeat(500) });
    expect(valueOf(text)).to.deep.equal(JSON.parse(text));
  });

  it('is done soon with 100 kB of anything', () => {
    const hostile = [
      `"${'\\"'.repeat(50_000)}`,
      `"${'\\"'.repeat(50_000)}\\`,
      '"'.repeat(100_000),
      '"a'.repeat(50_000),
      '\\'.repeat(100_000),
      `{"name":"${'\\\\"'.repeat(33_000)}`,
      `[${'1,'.repeat(50_000)}1]`,
      `{${Array.from({ length: 9_000 }, (_, index) => `"${index}":0`).join()}}`,
      `-${'9'.repeat(100_000)}`,
      `1${'0'.repeat(100_000)}e-100000`,
      ' '.repeat(100_000),
    ];
    for (const text of hostile) {
      const start = performance.now();
      valueOf(text);
      expect(performance.now() - start, text.slice(0, 20)).to.be.below(5_000);
    }
  });
});
