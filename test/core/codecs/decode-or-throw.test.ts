import { expect } from 'chai';
import { decodeOrThrow, NewPet, PageSize } from '../../../core';

describe('decodeOrThrow', () => {
  it('gives the decoded value', () => {
    expect(decodeOrThrow(PageSize, 20)).to.equal(20);
    expect(decodeOrThrow(NewPet, { name: 'Rex', categoryId: 7 })).to.deep.equal({
      name: 'Rex',
      categoryId: 7n,
    });
  });

  it('throws a TypeError that names each bad field and what was expected, never what came', () => {
    expect(() => decodeOrThrow(NewPet, { name: 'secret\0', categoryId: 'secret' })).to.throw(
      TypeError,
      /^no NewPet: name must be a string without U\+0000 and lone surrogates; categoryId must be an integer from -?\d+ to \d+$/,
    );
    expect(() => decodeOrThrow(PageSize, 0)).to.throw(
      TypeError,
      /^no PageSize: it must be an integer from 1 to 100$/,
    );
  });
});
