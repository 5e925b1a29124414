import type { NewPet, Pet } from '../../../core';
import { arbitraryNewPet } from '../arbitrary';

export const smallestId = -(2n ** 63n);
export const largestId = 2n ** 63n - 1n;

export const petWithId = (id: bigint, newPet: NewPet = arbitraryNewPet()): Pet => ({
  id,
  ...newPet,
});

export const contentOf = ({ id: _id, ...content }: Pet): NewPet => content;

/**
 * Returns the fields of an animal, without its id, as one string, so that tests can sort and compare lists of animals.
 */
export const contentText = ({ id: _id, ...content }: Partial<Pet>): string =>
  JSON.stringify(
    Object.entries(content)
      .sort()
      .map(([name, value]) => [name, String(value)]),
  );
