import * as E from 'fp-ts/Either';
import { leastInt64 } from '../../../core';
import { idOfRow, petFromRow, type PetRow } from './pet-columns';
import type { Connection } from './store-database';

const petsPerRead = 1_000;

const maxFaults = 5;

const faultOf = (row: PetRow): ReadonlyArray<string> => {
  const pet = E.tryCatch(() => petFromRow(row), E.toError);
  return E.isLeft(pet) ? [pet.left.message] : [];
};

/**
 * Finds the first `maxFaults` animals that no request can read, in the order of their ids. Returns a text about each.
 * Another program can write such rows into a SQLite file, but not into PostgreSQL, whose types and constraints exclude
 * them.
 */
export const readPetFaults = async (
  { knex, statements }: Connection,
  signal?: AbortSignal,
): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = [];
  let from = leastInt64;
  let rows: ReadonlyArray<PetRow>;
  do {
    signal?.throwIfAborted();
    [rows = []] = await statements.pages(knex, [{ from, order: 'asc', filters: [] }], petsPerRead);
    faults.push(...rows.flatMap(faultOf));
    // Continues after the greatest id of the page, because SQL returns its rows in any order.
    for (const id of rows.map((row) => BigInt(idOfRow(row)))) if (id >= from) from = id + 1n;
  } while (rows.length === petsPerRead && faults.length < maxFaults);
  return faults.slice(0, maxFaults);
};
