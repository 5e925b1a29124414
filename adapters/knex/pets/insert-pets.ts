import type { Knex } from 'knex';
import type { NewPet, Pet } from '../../../core';
import { newPetCells, petFromRow } from '../database/pet-columns';
import type { PetStatements } from '../database/pet-statements';

const contentOf = (newPet: NewPet): string => JSON.stringify(newPetCells(newPet));

/**
 * Inserts animals in one statement; each answer stands where its NewPet stood. SQL promises no order of the rows
 * that an insert returns, so they are told apart by content: equal animals may take each other's ids.
 */
export const insertPets = async (
  writes: Knex,
  { insert }: PetStatements,
  newPets: ReadonlyArray<NewPet>,
): Promise<ReadonlyArray<Pet>> => {
  const rows = await insert(writes, newPets);
  const inserted = new Map<string, Array<Pet>>();
  for (const pet of rows.map(petFromRow)) {
    const content = contentOf(pet);
    const alike = inserted.get(content);
    if (alike === undefined) inserted.set(content, [pet]);
    else alike.push(pet);
  }
  return newPets.map((newPet) => {
    const pet = inserted.get(contentOf(newPet))?.shift();
    if (pet === undefined) throw new TypeError('the database did not return an animal that it inserted');
    return pet;
  });
};
