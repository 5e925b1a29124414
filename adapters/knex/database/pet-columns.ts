import {
  fieldType,
  type NewPet,
  type Pet,
  type PetChanges,
  PetCodec,
  petFieldNames,
  petFilters,
  type PetFilters,
  petRules,
} from '../../../core';
import { permanentError } from './errors';

/**
 * Database column of one field of an animal. Values are read and bound as text, because a JavaScript number would lose
 * digits of a 64-bit integer.
 */
export interface Column {
  readonly field: keyof Pet;
  readonly name: string;
  readonly type: 'text' | 'bigint';
}

export const leastInt64 = -(2n ** 63n);

export const petColumns: ReadonlyArray<Column> = petFieldNames.map((field) => {
  return {
    field,
    name: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type: fieldType(petRules[field]).jsonType === 'integer' ? 'bigint' : 'text',
  };
});

export const newPetColumns = petColumns.filter(({ field }) => field !== 'id');

export type Cell = string | null;

/** Values of an animal, in the order of `petColumns`. */
export type PetRow = ReadonlyArray<Cell>;

/** Values of a new animal, in the order of `newPetColumns`. */
export type NewPetRow = ReadonlyArray<Cell>;

export const petCells = petColumns.map(({ name }) => `cast(${name} as text)`).join(', ');

const toCell = (pet: { readonly [F in keyof Pet]?: Pet[F] | null | undefined }, field: keyof Pet): Cell =>
  pet[field]?.toString() ?? null;

export const newPetCells = (newPet: NewPet): NewPetRow =>
  newPetColumns.map(({ field }) => toCell(newPet, field));

/** Returns the new values of the changed columns, keyed by column name. Null clears a column. */
export const changedCells = (changes: PetChanges): Readonly<Record<string, Cell>> =>
  Object.fromEntries(
    newPetColumns
      .filter(({ field }) => field in changes)
      .map(({ name, field }) => [name, toCell(changes, field)]),
  );

/** Columns by which a page is filtered, with the wanted values. */
export type FilterCells = ReadonlyArray<readonly [Column, Cell]>;

export const filterCells = (filters: PetFilters): FilterCells =>
  newPetColumns
    .filter(({ field }) => petFilters.some((filter) => filter === field && filters[filter] !== undefined))
    .map((column) => [column, toCell(filters, column.field)]);

const bigintFrom = (cell: string): bigint | undefined => {
  try {
    return BigInt(cell);
  } catch {
    return undefined;
  }
};

export const petFromRow = (row: PetRow): Pet => {
  const pet: Record<string, unknown> = {};
  for (const [place, { field, type }] of petColumns.entries()) {
    const cell = row[place];
    if (typeof cell === 'string') pet[field] = type === 'bigint' ? bigintFrom(cell) : cell;
  }
  if (PetCodec.is(pet)) return pet;
  throw permanentError(`the row with id ${row[0] ?? ''} in table pets is invalid; correct or delete it`);
};

export const idOfRow = ([id]: PetRow): string => id ?? '';
