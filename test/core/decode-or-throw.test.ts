import { expect } from 'chai';
import * as t from 'io-ts';
import { decodeOrThrow, NewPet, PageSize } from '../../core';

describe('decodeOrThrow', () => {
  it('returns the decoded value', () => {
    expect(decodeOrThrow(PageSize, 20)).to.equal(20);
    expect(decodeOrThrow(NewPet, { name: 'Rex', categoryId: 7 })).to.deep.equal({
      name: 'Rex',
      categoryId: 7n,
    });
  });

  it('throws a TypeError that names each invalid field and the expected value, never the actual one', () => {
    expect(() => decodeOrThrow(NewPet, { name: 'secret\0', categoryId: 'secret' })).to.throw(
      TypeError,
      /^invalid NewPet: name must be a string of at most 65536 bytes of UTF-8, without U\+0000 and lone surrogates; categoryId must be an integer from -?\d+ to \d+$/,
    );
    expect(() => decodeOrThrow(NewPet, { name: 'secret' })).to.throw(
      TypeError,
      /^invalid NewPet: categoryId is required$/,
    );
    expect(() => decodeOrThrow(PageSize, 0)).to.throw(
      TypeError,
      /^invalid PageSize: it must be an integer from 1 to 100$/,
    );
  });

  it("names the value that a program's own codec expects", () => {
    const Adoption = t.type({ adopter: t.string, pet: NewPet });
    expect(() => decodeOrThrow(Adoption, { adopter: 7, pet: [] })).to.throw(
      TypeError,
      /: adopter must be string; pet must be an object$/,
    );
  });
});
