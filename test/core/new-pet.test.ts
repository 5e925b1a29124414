import { expect } from 'chai';
import { expectTypeOf } from 'expect-type';
import * as E from 'fp-ts/Either';
import {
  decodeNewPet,
  decodeOrThrow,
  KeyId,
  type NewPet,
  NewPetCodec,
  PetCodec,
  type PetStatus,
} from '../../core';

const plain = { name: 'Rex', categoryId: 7n };
const sold = { ...plain, status: 'sold' };

const decode = (value: unknown) => decodeOrThrow(NewPetCodec, value);

const fieldErrorsOf = (value: unknown) => {
  const outcome = decodeNewPet(value);
  return E.isLeft(outcome) ? outcome.left.fields : expect.fail('it was accepted');
};

describe('A NewPet', () => {
  it('has the type of its fields, read-only', () => {
    expectTypeOf<{ readonly [Field in keyof NewPet]: NewPet[Field] }>().toEqualTypeOf<{
      readonly name: string;
      readonly categoryId: bigint;
      readonly status?: PetStatus;
    }>();
  });

  it('has a status or none', () => {
    for (const value of [plain, sold]) {
      expect(decode(value)).to.deep.equal(value);
      expect(NewPetCodec.is(value)).to.equal(true);
    }
  });

  it('is decoded without unknown fields, such as an id, and without a status that is undefined', () => {
    const decoded = decode({ ...plain, status: undefined, id: 5n, toString: 'x' });
    expect(Object.entries(decoded)).to.deep.equal(Object.entries(plain));
    expect(NewPetCodec.is({ ...plain, status: undefined })).to.equal(false);
  });

  it('is decoded without inherited fields', () => {
    const polluted: unknown = JSON.parse('{"__proto__":{"name":"Rex","categoryId":7}}');
    for (const value of [Object.create(plain), polluted])
      expect(NewPetCodec.decode(value)._tag).to.equal('Left');
    const inheriting: unknown = Object.assign(Object.create({ status: 'sold' }), plain);
    expect(decode(inheriting)).to.deep.equal(plain);
  });

  it('becomes a Pet only with an id', () => {
    expect(PetCodec.is({ id: 1n, ...plain })).to.equal(true);
    expect(PetCodec.decode(plain)._tag).to.equal('Left');
  });

  it('names each invalid field once, with the expected value', () => {
    expect(fieldErrorsOf({ name: 7, status: 'gone' })).to.have.deep.members([
      {
        name: 'name',
        rule: 'invalid',
        expected: 'a string of at most 1000 characters, without U+0000 and lone surrogates',
      },
      {
        name: 'categoryId',
        expected: 'an integer from -9223372036854775808 to 9223372036854775807',
        rule: 'required',
      },
      {
        name: 'status',
        rule: 'not_one_of',
        values: ['available', 'pending', 'sold'],
        expected: 'one of available, pending, sold',
      },
    ]);
  });

  it('names no field if it is not an object', () => {
    for (const value of [null, undefined, 7, 'Rex', [], [plain]]) {
      expect(fieldErrorsOf(value)).to.deep.equal([{ name: '', rule: 'invalid', expected: 'an object' }]);
    }
  });
});

describe('decodeOrThrow', () => {
  for (const [title, decodeInvalid, message] of [
    [
      'each invalid field and the expected value, never the actual one',
      () => decode({ name: 'secret\0', categoryId: 'secret' }),
      /^invalid NewPet: name must be a string of at most 1000 characters, without U\+0000 and lone surrogates; categoryId must be an integer from -?\d+ to \d+$/,
    ],
    [
      'no field of a value without fields',
      () => decodeOrThrow(KeyId, ''),
      /^invalid KeyId: it must be a string that is not empty, without U\+0000 and lone surrogates$/,
    ],
  ] as const) {
    it(`throws a TypeError that names ${title}`, () => {
      expect(decodeInvalid).to.throw(TypeError, message);
    });
  }
});
