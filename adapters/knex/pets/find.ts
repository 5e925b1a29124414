import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { type Pet, type PetNotFound, petNotFound, type PetRepository } from '../../../core';
import type { Result } from '../batcher';
import { tryOrError } from '../database/errors';
import { idOfRow, petFromRow } from '../database/pet-columns';
import type { Statements, StoreDatabase } from '../database/store-database';
import { batchedRead, type RepositoryObserver } from './batched-statement';

type Found = Result<PetNotFound, Pet>;

/** Finds animals in one statement. Returns a result for each id, in order. The result of an invalid row is an Error. */
export const findPets = async (
  knex: Knex,
  { byIds }: Statements,
  ids: ReadonlyArray<bigint>,
): Promise<ReadonlyArray<Found>> => {
  const rows = await byIds(knex, ids);
  const rowsById = new Map(rows.map((row) => [idOfRow(row), row]));
  return ids.map((id) => {
    const row = rowsById.get(id.toString());
    return row === undefined ? E.left(petNotFound(id)) : tryOrError((): Found => E.right(petFromRow(row)));
  });
};

export const findPet = (
  database: StoreDatabase,
  observer: RepositoryObserver | undefined,
): PetRepository['find'] =>
  batchedRead(database, observer, {
    operation: 'find',
    run: (ids: ReadonlyArray<bigint>) => findPets(database.reads, database.statements, ids),
  });
