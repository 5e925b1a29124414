import { expect } from 'chai';
import { decideCreation } from '../../../core';
import { arbitraryNewPet, arbitraryPet, arbitraryPetId } from '../../contracts';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 1, 28);

describe('decideCreation', () => {
  it('creates under a key that keeps nothing, and keeps it for 24 hours', () => {
    const decision = decideCreation(undefined, arbitraryNewPet(), now);
    expect(decision).to.deep.equal({ _tag: 'Create', keptUntil: now + day });
  });

  it('replays the same creation until its time is over, then creates anew', () => {
    const [newPet, id] = [arbitraryNewPet(), arbitraryPetId()];
    const pet = { id, ...newPet };
    const keptUntil = now + day;
    expect(decideCreation({ pet, keptUntil }, newPet, now)).to.deep.equal({ _tag: 'Replay', pet });
    expect(decideCreation({ pet, keptUntil }, newPet, keptUntil - 1)).to.deep.equal({ _tag: 'Replay', pet });
    expect(decideCreation({ pet, keptUntil }, newPet, keptUntil)).to.deep.equal({
      _tag: 'Create',
      keptUntil: keptUntil + day,
    });
  });

  it('refuses another animal under the key until its time is over', () => {
    const pet = arbitraryPet();
    const other = { name: pet.name, categoryId: arbitraryPet().categoryId };
    const keptUntil = now + 1;
    expect(decideCreation({ pet, keptUntil }, other, now)).to.deep.equal({ _tag: 'IdempotencyKeyReused' });
    expect(decideCreation({ pet, keptUntil }, other, keptUntil)._tag).to.equal('Create');
  });

  it('creates anew when the animal is gone', () => {
    const decision = decideCreation({ pet: undefined, keptUntil: now + 1 }, arbitraryNewPet(), now);
    expect(decision).to.deep.equal({ _tag: 'Create', keptUntil: now + day });
  });
});
