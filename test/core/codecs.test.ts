import { expect } from 'chai';
import fc from 'fast-check';
import * as E from 'fp-ts/Either';
import type * as t from 'io-ts';
import { inspect } from 'node:util';
import {
  ApiKey,
  decodePetQuery,
  IdempotencyKey,
  int64FromText,
  KeyId,
  NewPetCodec,
  OwnerId,
  PetCodec,
  invalidFieldsOf,
} from '../../core';

const min = -(2n ** 63n);
const max = 2n ** 63n - 1n;

/** Returns true if a codec decodes a value. Fails the test if the codec's `is` rejects the decoded value. */
const takenBy =
  <A, O>(codec: t.Type<A, O>) =>
  (value: unknown): boolean => {
    const outcome = codec.decode(value);
    if (E.isRight(outcome)) expect(codec.is(outcome.right), 'it knows again what it decoded').to.equal(true);
    return E.isRight(outcome);
  };

/**
 * Returns true if a query with this value in a field is valid. Refuses undefined, because a query without the field is
 * valid.
 */
const takenAs = (field: string) => (value: unknown) =>
  value !== undefined && E.isRight(decodePetQuery({ [field]: value }));

const takenAsName = (name: unknown) => takenBy(NewPetCodec)({ name, categoryId: 7n });

const takenAsCategory = (categoryId: unknown) => takenBy(NewPetCodec)({ name: 'Rex', categoryId });

const takenAsText = (text: unknown) => typeof text === 'string' && int64FromText(text) !== undefined;

const inWords = (value: unknown): string => inspect(value, { maxStringLength: 40, breakLength: Infinity });

interface Cases {
  readonly name: string;
  readonly takes: (value: unknown) => boolean;
  readonly taken: ReadonlyArray<unknown>;
  readonly refused: ReadonlyArray<unknown>;
}

const integers: Pick<Cases, 'taken' | 'refused'> = {
  taken: [min, -1n, 0n, 1n, max, 9007199254740993n, 7, -7, Number.MAX_SAFE_INTEGER],
  refused: [min - 1n, max + 1n, 2 ** 53, 1.5, NaN, Infinity, '7', null, undefined, true, [7n], {}],
};

const cases: ReadonlyArray<Cases> = [
  { name: 'a query, after an id,', takes: takenAs('after'), ...integers },
  { name: 'an animal, of a category,', takes: takenAsCategory, ...integers },
  {
    name: 'the text of an int64',
    takes: takenAsText,
    taken: ['0', '-0', '7', '-7', '007', max.toString(), min.toString(), `${'0'.repeat(10_000)}7`],
    refused: [
      ...['', ' 7', '7 ', '+7', '7.0', '7e0', '0x7', '7n', '-', '--7', '1_000', '٧', '７', '7\n', 'NaN'],
      ...[(max + 1n).toString(), (min - 1n).toString(), '9'.repeat(100_000), 7n, 7, null, undefined],
    ],
  },
  {
    name: 'a query, with a limit,',
    takes: takenAs('limit'),
    taken: [1, 2, 20, 100],
    refused: [0, -1, 101, 1.5, NaN, Infinity, 20n, '20', null, undefined],
  },
  {
    name: 'a query, of a status,',
    takes: takenAs('status'),
    taken: ['available', 'pending', 'sold'],
    refused: ['', 'Sold', 'sold ', 'toString', '__proto__', 'constructor', null, undefined, 0, ['sold']],
  },
  {
    name: 'an animal, with a name,',
    takes: takenAsName,
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
    name: 'IdempotencyKey',
    takes: takenBy(IdempotencyKey),
    taken: ['a', ' ', '~', '"\\', 'x'.repeat(255)],
    refused: ['', 'x'.repeat(256), 'é', '\t', 'a\n', '\x7f', '\0', null, undefined, 7],
  },
  {
    name: 'ApiKey',
    takes: takenBy(ApiKey),
    taken: ['a', 'AZaz09-._~+/', 'abc=', 'abc=='],
    refused: ['', '=', 'a=b', 'a b', ' a', 'a\n', 'a,b', 'é', '"a"', null, undefined, 7],
  },
  {
    name: 'KeyId',
    takes: takenBy(KeyId),
    taken: ['a', ' ', 'é🐕'],
    refused: ['', 'a\0', '\ud800', null, undefined, 7],
  },
  {
    name: 'OwnerId',
    takes: takenBy(OwnerId),
    taken: ['a', ' ', 'é🐕'],
    refused: ['', 'a\0', '\ud800', null, undefined, 7],
  },
];

describe('the codecs of the core', () => {
  for (const { name, takes, taken, refused } of cases) {
    for (const value of taken) {
      it(`${name} takes ${inWords(value)}`, () => {
        expect(takes(value)).to.equal(true);
      });
    }
    for (const value of refused) {
      it(`${name} refuses ${inWords(value)}`, () => {
        expect(takes(value)).to.equal(false);
      });
    }
  }

  it('read each int64 that is written in decimal', () => {
    fc.assert(
      fc.property(fc.bigInt({ min, max }), (integer) => {
        expect(int64FromText(integer.toString())).to.equal(integer);
      }),
    );
  });

  it('recognize only an object that they would decode, so not one that inherits its fields', () => {
    const inheriting: unknown = Object.create({ id: 1n, name: 'Rex', categoryId: 7n });
    expect(takenBy(PetCodec)(inheriting)).to.equal(false);
    expect(PetCodec.is(inheriting)).to.equal(false);
  });

  it('never repeat the actual value', () => {
    const secret = 'hunter2';
    const fields = { name: { secret }, categoryId: secret, status: secret, [secret]: secret };
    for (const value of [secret, [secret], fields]) {
      expect(JSON.stringify(decodePetQuery(value))).not.to.match(new RegExp(`"left".*${secret}`));
      for (const codec of [NewPetCodec, PetCodec, ApiKey, KeyId, OwnerId, IdempotencyKey]) {
        const outcome = codec.decode(value);
        const errors = E.isLeft(outcome) ? invalidFieldsOf(outcome.left) : [];
        expect(JSON.stringify(errors)).not.to.include(secret);
      }
    }
  });
});
