import type { Database } from '../../../adapters/knex';
import { newPetCells, newPetColumns } from '../../../adapters/knex/database/pet-columns';
import type { Pet } from '../../../core';

/** Puts animals with ids of their own into the catalogue. */
export const seedPets = async ({ writes }: Database, pets: ReadonlyArray<Pet>): Promise<void> => {
  if (pets.length === 0) return;
  const columns = newPetColumns.map(({ name }) => name);
  const rowOf = (pet: Pet) =>
    Object.fromEntries(newPetCells(pet).map((cell, place) => [columns[place] ?? '', cell]));
  await writes('pets').insert(pets.map((pet) => ({ id: pet.id.toString(), ...rowOf(pet) })));
};
