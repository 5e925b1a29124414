import type { Pet, PetFilters, PetRepository } from '../../../core';
import { expectEqual } from '../expect-equal';
import { success } from '../outcome';
import { allPets } from './pages-of';

/** What a list may be asked for by each filter; undefined is not at all. A filter that is missing here does not compile. */
export const choices: { readonly [Field in keyof PetFilters]-?: ReadonlyArray<PetFilters[Field]> } = {
  status: [undefined, 'available', 'pending', 'sold'],
};

export const filterings = Object.entries(choices).reduce<ReadonlyArray<PetFilters>>(
  (others, [field, values]) =>
    others.flatMap((other) => values.map((value) => ({ ...other, [field]: value }))),
  [{}],
);

export const inWords = (filters: PetFilters): string =>
  Object.entries(filters)
    .map(([field, value]) => `${value ?? 'any'} ${field}`)
    .join(' and ');

export const passes = (filters: PetFilters, pet: Pet): boolean =>
  Object.entries(filters).every(([field, value]) => value === undefined || Reflect.get(pet, field) === value);

/** Holds finds and filtered lists against the whole list, and gives that. */
export const expectAlike = async (repository: PetRepository): Promise<ReadonlyArray<Pet>> => {
  const pets = await allPets(repository);
  for (const pet of pets) {
    expectEqual(`what is found by ${pet.id}`, await success(repository.find(pet.id)), pet);
  }
  for (const filters of filterings) {
    const expected = pets.filter((pet) => passes(filters, pet));
    expectEqual(`the list of ${inWords(filters)}`, await allPets(repository, filters), expected);
  }
  return pets;
};
