import { expect } from 'chai';
import { resolveIdempotentCreate } from '../../core';
import { arbitraryNewPet, arbitraryPet } from '../contracts';
import { arbitraryPetId } from '../contracts/arbitrary';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 1, 28);

describe('resolveIdempotentCreate', () => {
  it('creates if the key has no record, and stores one for 24 hours', () => {
    const decision = resolveIdempotentCreate(undefined, arbitraryNewPet(), now);
    expect(decision).to.deep.equal({ _tag: 'Create', expiresAt: now + day });
  });

  it('replays the same create until its record expires, then creates again', () => {
    const [newPet, id] = [arbitraryNewPet(), arbitraryPetId()];
    const pet = { id, ...newPet };
    const expiresAt = now + day;
    expect(resolveIdempotentCreate({ pet, expiresAt }, newPet, now)).to.deep.equal({ _tag: 'Replay', pet });
    expect(resolveIdempotentCreate({ pet, expiresAt }, newPet, expiresAt - 1)).to.deep.equal({
      _tag: 'Replay',
      pet,
    });
    expect(resolveIdempotentCreate({ pet, expiresAt }, newPet, expiresAt)).to.deep.equal({
      _tag: 'Create',
      expiresAt: expiresAt + day,
    });
  });

  it('refuses another animal until the record expires', () => {
    const pet = arbitraryPet();
    const other = { name: pet.name, categoryId: arbitraryPet().categoryId };
    const expiresAt = now + 1;
    expect(resolveIdempotentCreate({ pet, expiresAt }, other, now)).to.deep.equal({
      _tag: 'IdempotencyKeyReused',
    });
    expect(resolveIdempotentCreate({ pet, expiresAt }, other, expiresAt)._tag).to.equal('Create');
  });

  it('creates again if the animal is gone', () => {
    const decision = resolveIdempotentCreate({ pet: undefined, expiresAt: now + 1 }, arbitraryNewPet(), now);
    expect(decision).to.deep.equal({ _tag: 'Create', expiresAt: now + day });
  });
});
