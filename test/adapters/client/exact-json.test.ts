import { expect } from 'chai';
import fc from 'fast-check';
import { parseJson, toJson } from '../../../adapters/client';
import { serializePage } from '../../../adapters/json';
import { arbitraryPet } from '../../contracts';
import { isJson } from '../../support/is-json';
import { anyCharacter } from '../../support/random';

describe('The JSON of the client', () => {
  it('reads what the service writes, to the digit and to the letter', () => {
    for (let count = 0; count < 200; count += 1) {
      const pets = Array.from({ length: 3 }, arbitraryPet);
      expect(parseJson(Buffer.from(serializePage({ pets, hasMore: false })).toString())).to.deep.equal(pets);
    }
  });

  it('reads what it writes', () => {
    const fields = fc.dictionary(
      fc.string({ unit: anyCharacter }),
      fc.oneof(
        fc.bigInt(),
        fc.string({ unit: anyCharacter }),
        fc.string({ unit: anyCharacter }).map((text) => `\0${text}`),
        fc.array(fc.oneof(fc.bigInt(), fc.boolean(), fc.constant(null))),
      ),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fields, (value) => {
        expect(parseJson(toJson(value))).to.deep.equal(value);
      }),
    );
  });

  it('reads every other value as JSON.parse does', () => {
    const withoutIntegers = fc
      .json({ noUnicodeString: false })
      .map((text) => text.replace(/(?<![\w.\\-])-?\d+(?![\d.eE])/g, 'null'))
      .filter(isJson);
    fc.assert(
      fc.property(withoutIntegers, (text) => {
        expect(parseJson(text)).to.deep.equal(JSON.parse(text));
      }),
    );
  });

  it('reads integers as bigints, and everything else as JSON.parse does', () => {
    for (const [text, value] of [
      ['9007199254740993', 9007199254740993n],
      ['-0', 0n],
      [
        '[1,-9223372036854775808,"1","-1","\\"2\\"",1.5,1e3]',
        [1n, -(2n ** 63n), '1', '-1', '"2"', 1.5, 1000],
      ],
      ['{"a 1":{"\\\\":2}}', { 'a 1': { '\\': 2n } }],
    ] as const)
      expect(parseJson(text)).to.deep.equal(value);
    for (const text of ['', '01', '1.', '1e', '-', '[1 2]', '{"a":1', '"\\"', '1n', '{1:2}', '{"a":1,-2 :3}'])
      expect(() => parseJson(text), text).to.throw(SyntaxError);
  });

  it('writes what JSON.stringify writes, and leaves out what it leaves out', () => {
    const value = {
      a: [undefined, 1.5, 'x', null],
      b: undefined,
      c: () => 1,
      d: new Date(0),
      '"': { e: true },
    };
    expect(toJson(value)).to.equal(JSON.stringify(value));
    expect(toJson({ id: 2n ** 63n - 1n })).to.equal('{"id":9223372036854775807}');
  });

  it('takes linear time for a string without an end', () => {
    const before = process.cpuUsage();
    expect(() => parseJson('"'.concat('\\"'.repeat(100_000)))).to.throw(SyntaxError);
    expect(process.cpuUsage(before).user, 'microseconds of processor time').to.be.below(2_000_000);
  });
});
