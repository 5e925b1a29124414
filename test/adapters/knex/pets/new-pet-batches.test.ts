import { expect } from 'chai';
import { newPetBatches } from '../../../../adapters/knex/pets/create';
import { arbitraryNewPet } from '../../../contracts';

describe('What an animal costs in a batch', () => {
  it('counts each of its texts', () => {
    for (let count = 0; count < 100; count += 1) {
      const newPet = arbitraryNewPet();
      const texts = Object.values(newPet).map((value) => (typeof value === 'string' ? value : ''));
      expect(newPetBatches.cost?.(newPet)).to.be.at.least(texts.join('').length);
    }
  });
});
