import { NewPet, type Pet, PetId } from '../../../core';
import { arbitraryNewPet } from '../arbitrary';
import { decoded } from '../outcome';

export const petId = (id: bigint): PetId => decoded(PetId, id);

export const smallestId = petId(-(2n ** 63n));
export const largestId = petId(2n ** 63n - 1n);

export const petWithId = (id: bigint, newPet: NewPet = arbitraryNewPet()): Pet => ({
  id: petId(id),
  ...newPet,
});

export const contentOf = ({ id: _id, ...content }: Pet): NewPet => content;

/** Returns the fields of an animal as one string. Sorted strings compare lists in any order. */
export const contentText = (newPet: NewPet): string =>
  JSON.stringify(NewPet.encode(newPet), (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
