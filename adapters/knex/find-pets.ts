import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import type { Knex } from 'knex';
import { type Pet, type PetId, type PetNotFound, petNotFound } from '../../core';
import { petColumns, petFromRow, type PetRow } from './pet-rows';

/** Reads animals by their ids in one query; each result stands where its id stood. */
export const findPets =
  (reads: Knex) =>
  async (ids: ReadonlyArray<PetId>): Promise<ReadonlyArray<E.Either<PetNotFound, Pet>>> => {
    const rows = await reads('pets')
      .select<ReadonlyArray<PetRow>>(reads.raw(petColumns))
      .whereIn('pets.id', [...new Set(ids)].map(String));
    const found = new Map(rows.map(petFromRow).map((pet) => [pet.id, pet]));
    return ids.map((id) => pipe(found.get(id), E.fromNullable(petNotFound(id))));
  };
