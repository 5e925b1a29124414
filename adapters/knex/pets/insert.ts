import type { Knex } from 'knex';
import { compareById, newPetFieldNames, type Pet } from '../../../core';
import { DiagnosedError } from '../database/errors';
import { newPetRow, petFromRow, type PetRow, type PetToInsert } from '../database/pet-columns';
import type { Statements } from '../database/store-database';

/** Inserts animals in one statement of a transaction, and returns them in the order of `creates`. */
export const insertPets = async (
  transaction: Knex.Transaction,
  { insert }: Statements,
  creates: ReadonlyArray<PetToInsert>,
): Promise<ReadonlyArray<Pet>> => storedPets(creates, await insert(transaction, creates.map(newPetRow)));

/**
 * Returns inserted animals in the order of `creates`. Sorts by id, because SQL returns inserted rows in any order.
 * Throws if the database has stored other values than those of `creates`.
 */
export const storedPets = (
  creates: ReadonlyArray<PetToInsert>,
  rows: ReadonlyArray<PetRow>,
): ReadonlyArray<Pet> => {
  const pets = rows.map(petFromRow).sort(compareById);
  if (
    pets.length === creates.length &&
    pets.every((pet, index) => newPetFieldNames.every((name) => pet[name] === creates[index]?.newPet[name]))
  )
    return pets;
  throw new DiagnosedError(
    'the database did not store the animals as they were inserted; check table pets for triggers and rules',
  );
};
