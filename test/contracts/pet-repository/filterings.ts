import {
  type FieldRule,
  type NewPet,
  NewPetCodec,
  newPetRules,
  type Pet,
  petFilterNames,
  type PetFilters,
  type PetRepository,
} from '../../../core';
import { arbitraryNewPet, arbitraryNumber } from '../arbitrary';
import { expectEqual } from '../expect-equal';
import { decoded, success } from '../outcome';
import { allPets } from './pages-of';

/** Values of each filter, where undefined means no filter. The compiler reports a filter without values. */
export const choices: { readonly [Field in keyof PetFilters]-?: ReadonlyArray<PetFilters[Field]> } = {
  categoryId: [undefined, 9007199254740993n],
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

/** Fails unless `find` and each filtered list agree with the list of all animals. Returns all animals. */
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

/** Makes a random animal whose filtered fields have values from `choices`. */
export const makeNewPet = (): NewPet => {
  const fields: Record<string, unknown> = { ...arbitraryNewPet() };
  for (const field of petFilterNames) {
    const values = choices[field];
    const value = values[arbitraryNumber(0, values.length - 1)];
    const rule: FieldRule = newPetRules[field];
    if (value !== undefined || !rule.required) fields[field] = value;
  }
  return decoded(NewPetCodec, fields);
};
