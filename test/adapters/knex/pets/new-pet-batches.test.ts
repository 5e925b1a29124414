import { expect } from 'chai';
import { newPetBatches } from '../../../../adapters/knex/pets/new-pet-batches';
import { arbitraryNewPet } from '../../../contracts';

describe('What an animal weighs in a batch', () => {
  it('counts each of its texts', () => {
    for (let count = 0; count < 100; count += 1) {
      const newPet = arbitraryNewPet();
      const texts = Object.values(newPet).map((value) => (typeof value === 'string' ? value : ''));
      expect(newPetBatches.weightOf?.(newPet)).to.be.at.least(texts.join('').length);
    }
  });
});
