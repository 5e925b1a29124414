import { expect } from 'chai';
import { resolveIdempotentCreate } from '../../core';
import { arbitraryPet } from '../contracts';
import { contentOf } from '../contracts/pet-repository/seeds';

const day = 24 * 60 * 60 * 1000;
const now = Date.UTC(2026, 1, 28);
const pet = arbitraryPet();
const other = { name: pet.name, categoryId: arbitraryPet().categoryId };
const create = { _tag: 'Create', expiresAt: now + day };

describe('resolveIdempotentCreate', () => {
  for (const [title, record, newPet, decision] of [
    ['creates if the key has no record, and stores one for 24 hours', undefined, contentOf(pet), create],
    ['creates again if the animal is gone', { pet: undefined, expiresAt: now + 1 }, contentOf(pet), create],
    [
      'replays the same create up to the last millisecond of its record',
      { pet, expiresAt: now + 1 },
      contentOf(pet),
      { _tag: 'Replay', pet },
    ],
    ['creates again once its record expires', { pet, expiresAt: now }, contentOf(pet), create],
    [
      'refuses another animal up to the last millisecond of the record',
      { pet, expiresAt: now + 1 },
      other,
      { _tag: 'IdempotencyKeyReused' },
    ],
    ['creates another animal once the record expires', { pet, expiresAt: now }, other, create],
  ] as const) {
    it(title, () => {
      expect(resolveIdempotentCreate(record, newPet, now)).to.deep.equal(decision);
    });
  }
});
