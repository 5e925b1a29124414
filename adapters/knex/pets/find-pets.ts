import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { type Pet, type PetId, type PetNotFound, petNotFound } from '../../../core';
import { orError } from '../database/database-error';
import { idOfRow, petFromRow } from '../database/pet-columns';
import type { PetStatements } from '../database/pet-statements';

export type Found = E.Either<PetNotFound, Pet>;

/**
 * Reads animals by their ids in one query; each result stands where its id stood. A row that is no animal is the failure
 * of those who ask for it alone.
 */
export const findPets = async (
  knex: Knex,
  { byIds }: PetStatements,
  ids: ReadonlyArray<PetId>,
): Promise<ReadonlyArray<Found | Error>> => {
  const rows = await byIds(knex, ids);
  const rowsById = new Map(rows.map((row) => [idOfRow(row), row]));
  return ids.map((id) => {
    const row = rowsById.get(id.toString());
    return row === undefined ? E.left(petNotFound(id)) : orError((): Found => E.right(petFromRow(row)));
  });
};
