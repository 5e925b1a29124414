import { expect } from 'chai';
import fc from 'fast-check';
import { serializePage, serializePet } from '../../../adapters/json';
import { decodeOrThrow, type Pet, PetCodec } from '../../../core';
import { anyPet } from '../../support/any-pet';
import { anyCharacter } from '../../support/random';

/** Generates texts of many scripts, with characters that JSON must escape and others that it need not. */
const names = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\u0001', '\u001f', '\u007f', '\u2028', '\u2029', '🐕', 'é', 'a'),
  }),
);

const pets = anyPet(names);

/** Writes JSON as JSON.stringify does, with bigints as digits. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'bigint' ? { int64: member.toString() } : member,
  ).replace(/\{"int64":"(-?[0-9]+)"\}/g, '$1');

const inOrder = ({ id, name, categoryId, ...others }: Pet) => ({ id, name, categoryId, ...others });

describe('The JSON text of', () => {
  it('a Pet has every field, every digit, and the escapes of JSON.stringify', () => {
    fc.assert(
      fc.property(pets, (pet) => {
        expect(serializePet(pet)).to.equal(jsonOf(inOrder(pet)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('a page is an array of its animals, in UTF-8', () => {
    fc.assert(
      fc.property(fc.array(pets, { maxLength: 5 }), (several) => {
        const page = { pets: several, hasMore: false };
        expect(Buffer.from(serializePage(page)).toString()).to.equal(`${jsonOf(several.map(inOrder))}\n`);
      }),
    );
  });

  it('a Pet without a status has no status', () => {
    const pet = decodeOrThrow(PetCodec, { id: 1n, name: '', categoryId: 2n });
    expect(serializePet(pet)).to.equal('{"id":1,"name":"","categoryId":2}');
  });
});
