import { expect } from 'chai';
import { expectTypeOf } from 'expect-type';
import * as E from 'fp-ts/Either';
import {
  type CategoryId,
  decodeOrThrow,
  fieldErrors,
  NewPet,
  PageSize,
  Pet,
  type PetName,
  type PetStatus,
} from '../../core';

const plain = { name: 'Rex', categoryId: 7n };
const sold = { ...plain, status: 'sold' };

const decode = (value: unknown) => decodeOrThrow(NewPet, value);

const fieldErrorsOf = (value: unknown) => {
  const outcome = NewPet.decode(value);
  return E.isLeft(outcome) ? fieldErrors(outcome.left) : expect.fail('it was accepted');
};

describe('A NewPet', () => {
  it('has the type of its fields, read-only', () => {
    expectTypeOf<NewPet>().toEqualTypeOf<{
      readonly name: PetName;
      readonly categoryId: CategoryId;
      readonly status?: PetStatus;
    }>();
  });

  it('has a status or none', () => {
    for (const value of [plain, sold]) {
      expect(decode(value)).to.deep.equal(value);
      expect(NewPet.is(value)).to.equal(true);
    }
  });

  it('is decoded without unknown fields, such as an id, and without a status that is undefined', () => {
    const decoded = decode({ ...plain, status: undefined, id: 5n, toString: 'x' });
    expect(Object.entries(decoded)).to.deep.equal(Object.entries(plain));
    expect(NewPet.is({ ...plain, status: undefined })).to.equal(false);
  });

  it('is decoded without inherited fields', () => {
    const polluted: unknown = JSON.parse('{"__proto__":{"name":"Rex","categoryId":7}}');
    for (const value of [Object.create(plain), polluted]) expect(NewPet.decode(value)._tag).to.equal('Left');
    const inheriting: unknown = Object.assign(Object.create({ status: 'sold' }), plain);
    expect(decode(inheriting)).to.deep.equal(plain);
  });

  it('is encoded with its own fields only', () => {
    expect(NewPet.encode({ ...decode(sold), ...{ id: 5n } })).to.deep.equal(sold);
    // As it compiles without exactOptionalPropertyTypes.
    const withoutStatus: object = { status: undefined };
    expect(NewPet.encode({ ...decode(sold), ...withoutStatus })).to.have.all.keys('name', 'categoryId');
  });

  it('is encoded only if it is valid, and the error names what is wrong', () => {
    for (const [fields, message] of [
      [{ name: 7 }, /^invalid NewPet: name must be a string of at most/],
      [{ name: undefined, status: 'gone' }, /^invalid NewPet: name is required; status must be one of/],
      [{ categoryId: 7 }, /^invalid NewPet: decode it first, as in decodeOrThrow\(NewPet, value\)$/],
    ] as const) {
      const invalid: object = fields;
      expect(() => NewPet.encode({ ...decode(plain), ...invalid })).to.throw(TypeError, message);
    }
  });

  it('becomes a Pet only with an id', () => {
    expect(Pet.is({ id: 1n, ...plain })).to.equal(true);
    expect(Pet.decode(plain)._tag).to.equal('Left');
  });

  it('names each invalid field once, with the expected value', () => {
    expect(fieldErrorsOf({ name: 7, status: 'gone' })).to.have.deep.members([
      {
        field: 'name',
        expected: 'a string of at most 1000 characters, without U+0000 and lone surrogates',
      },
      {
        field: 'categoryId',
        expected: 'an integer from -9223372036854775808 to 9223372036854775807',
        isMissing: true,
      },
      { field: 'status', expected: 'one of available, pending, sold' },
    ]);
  });

  it('names no field if it is not an object', () => {
    for (const value of [null, undefined, 7, 'Rex', [], [plain]]) {
      expect(fieldErrorsOf(value)).to.deep.equal([{ field: '', expected: 'an object' }]);
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
      () => decodeOrThrow(PageSize, 0),
      /^invalid PageSize: it must be an integer from 1 to 100$/,
    ],
  ] as const) {
    it(`throws a TypeError that names ${title}`, () => {
      expect(decodeInvalid).to.throw(TypeError, message);
    });
  }
});
