import { expect } from 'chai';
import { PageSize, toPage } from '../../core';
import { arbitraryPet } from '../contracts';
import { decoded } from '../contracts/outcome';

describe('toPage', () => {
  it('freezes the page and its animals, so that callers can share them', () => {
    const found = Array.from({ length: 3 }, arbitraryPet);
    const page = toPage(decoded(PageSize, 2), found);
    const [first] = page.pets;
    for (const shared of [page, page.pets, first ?? page]) {
      expect(Reflect.set(shared, 'name', 'another')).to.equal(false);
      expect(Reflect.set(shared, 'length', 0)).to.equal(false);
    }
    expect(page).to.deep.equal({ pets: found.slice(0, 2), hasMore: true });
  });
});
