import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import type * as t from 'io-ts';
import { inspect } from 'node:util';
import {
  ApiKey,
  CategoryId,
  decodeOrThrow,
  fieldErrors,
  IdempotencyKey,
  inDecimal,
  Int64,
  KeyId,
  NewPet,
  OwnerId,
  PageSize,
  Pet,
  PetId,
  PetName,
  PetStatus,
} from '../../core';

const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

interface Codec {
  readonly name: string;
  readonly decode: (value: unknown) => t.Validation<unknown>;
  readonly is: (value: unknown) => boolean;
}

const accepts = (codec: Codec, value: unknown): boolean => {
  const outcome = codec.decode(value);
  if (E.isRight(outcome)) expect(codec.is(outcome.right), 'it knows again what it decoded').to.equal(true);
  return E.isRight(outcome);
};

const inWords = (value: unknown): string => inspect(value, { maxStringLength: 40, breakLength: Infinity });

interface Cases {
  readonly codec: Codec;
  readonly taken: ReadonlyArray<unknown>;
  readonly refused: ReadonlyArray<unknown>;
}

const integers: Omit<Cases, 'codec'> = {
  taken: [min, -1n, 0n, 1n, max, 9007199254740993n, 7, -7, Number.MAX_SAFE_INTEGER],
  refused: [min - 1n, max + 1n, 2 ** 53, 1.5, NaN, Infinity, '7', null, undefined, true, [7n], {}],
};

const cases: ReadonlyArray<Cases> = [
  { codec: Int64, ...integers },
  { codec: PetId, ...integers },
  { codec: CategoryId, ...integers },
  {
    codec: inDecimal(Int64),
    taken: ['0', '-0', '7', '-7', '007', max.toString(), min.toString(), `${'0'.repeat(10_000)}7`],
    refused: [
      ...['', ' 7', '7 ', '+7', '7.0', '7e0', '0x7', '7n', '-', '--7', '1_000', '٧', '７', '7\n', 'NaN'],
      ...[(max + 1n).toString(), (min - 1n).toString(), '9'.repeat(100_000), 7n, 7, null, undefined],
    ],
  },
  {
    codec: PageSize,
    taken: [1, 2, 20, 100],
    refused: [0, -1, 101, 1.5, NaN, Infinity, 20n, '20', null, undefined],
  },
  {
    codec: PetStatus,
    taken: ['available', 'pending', 'sold'],
    refused: ['', 'Sold', 'sold ', 'toString', '__proto__', 'constructor', null, undefined, 0, ['sold']],
  },
  {
    codec: PetName,
    taken: ['', ' ', '\u0001', '\uffff', '🐕', 'x'.repeat(1_000), '\u0001'.repeat(1_000), '🐕'.repeat(1_000)],
    refused: [
      ...['\0', 'a\0', '\ud800', 'a\udfffb', '\udc00\ud800', '🐕'.slice(1), null, undefined, 7, ['Rex']],
      ...[
        'x'.repeat(1_001),
        '🐕'.repeat(1_001),
        `x${'🐕'.repeat(1_000)}`,
        `${'x'.repeat(1_000)}\u0301`,
        'x'.repeat(2_001),
      ],
    ],
  },
  {
    codec: IdempotencyKey,
    taken: ['a', ' ', '~', '"\\', 'x'.repeat(255)],
    refused: ['', 'x'.repeat(256), 'é', '\t', 'a\n', '\x7f', '\0', null, undefined, 7],
  },
  {
    codec: ApiKey,
    taken: ['a', 'AZaz09-._~+/', 'abc=', 'abc=='],
    refused: ['', '=', 'a=b', 'a b', ' a', 'a\n', 'a,b', 'é', '"a"', null, undefined, 7],
  },
  { codec: KeyId, taken: ['a', ' ', 'é🐕'], refused: ['', 'a\0', '\ud800', null, undefined, 7] },
  { codec: OwnerId, taken: ['a', ' ', 'é🐕'], refused: ['', 'a\0', '\ud800', null, undefined, 7] },
];

describe('the codecs of the core', () => {
  for (const { codec, taken, refused } of cases) {
    for (const value of taken) {
      it(`${codec.name} takes ${inWords(value)}`, () => {
        expect(accepts(codec, value)).to.equal(true);
      });
    }
    for (const value of refused) {
      it(`${codec.name} refuses ${inWords(value)}`, () => {
        expect(accepts(codec, value)).to.equal(false);
      });
    }
  }

  it('write an int64 in decimal, and read the same number', () => {
    fc.assert(
      fc.property(fc.bigInt({ min, max }), (integer) => {
        const text = inDecimal(Int64).encode(decodeOrThrow(Int64, integer));
        expect(text).to.equal(integer.toString());
        expect(decodeOrThrow(inDecimal(Int64), text)).to.equal(integer);
      }),
    );
  });

  it('never repeat the actual value', () => {
    const secret = 'hunter2';
    const fields = { name: { secret }, categoryId: secret, status: secret, [secret]: secret };
    for (const { codec } of [...cases, { codec: NewPet }, { codec: Pet }]) {
      for (const value of [secret, [secret], fields]) {
        const outcome = codec.decode(value);
        const errors = E.isLeft(outcome) ? fieldErrors(outcome.left) : [];
        expect(JSON.stringify(errors)).not.to.include(secret);
      }
    }
  });
});
