import {
  type FieldRule,
  type NewPet,
  type Pet,
  PetCodec,
  petFieldNames,
  petFilterNames,
  type PetFilters,
  petRules,
} from '../../../core';
import { DiagnosedError } from './errors';

/**
 * Column of the table `pets`. Values are read and bound as text, because a JavaScript number would lose digits of a
 * 64-bit integer.
 */
export interface Column {
  readonly name: string;
  readonly type: 'text' | 'bigint';
}

interface FieldColumn extends Column {
  readonly field: keyof Pet;
}

const columnTypes: Readonly<Record<FieldRule['kind'], Column['type']>> = {
  text: 'text',
  int64: 'bigint',
  enumeration: 'text',
};

export const petColumns: ReadonlyArray<FieldColumn> = petFieldNames.map((field) => ({
  field,
  name: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  type: columnTypes[petRules[field].kind],
}));

export const newPetColumns = petColumns.filter(({ field }) => field !== 'id');

const creatorColumn: Column = { name: 'created_by', type: 'text' };

const creationTimeColumn: Column = { name: 'created_at', type: 'bigint' };

/** Columns of the values that an insert binds. */
export const insertedColumns: ReadonlyArray<Column> = [...newPetColumns, creatorColumn];

/** Names of the columns of an insert. The last one is the time of creation, which the clock of the database gives. */
export const insertedNames = [...insertedColumns, creationTimeColumn].map(({ name }) => name).join();

export const storedColumns: ReadonlyArray<Column> = [...petColumns, creationTimeColumn, creatorColumn];

export type Cell = string | null;

/** Values of an animal, in the order of `petColumns`. */
export type PetRow = ReadonlyArray<Cell>;

/** Values of a new animal and its creator, in the order of `insertedColumns`. */
export type NewPetRow = ReadonlyArray<Cell>;

/** Animal to insert. `createdBy` is the value of the column `created_by`, which names an API key or an import. */
export interface PetToInsert {
  readonly newPet: NewPet;
  readonly createdBy: Cell;
}

export const petCells = petColumns.map(({ name }) => `cast(${name} as text)`).join(', ');

type PetValues = { readonly [F in keyof Pet]?: Pet[F] | null | undefined };

const toCell = (pet: PetValues, field: keyof Pet): Cell => pet[field]?.toString() ?? null;

export const newPetRow = ({ newPet, createdBy }: PetToInsert): NewPetRow => [
  ...newPetColumns.map(({ field }) => toCell(newPet, field)),
  createdBy,
];

/** Returns the values of PetChanges, keyed by column name. Null clears a column. */
export const changedCells = (changes: PetValues): Readonly<Record<string, Cell>> =>
  Object.fromEntries(
    newPetColumns
      .filter(({ field }) => changes[field] !== undefined)
      .map(({ name, field }) => [name, toCell(changes, field)]),
  );

/** Columns by which a page is filtered, with the wanted values. */
export type FilterCells = ReadonlyArray<readonly [Column, Cell]>;

export const filterCells = (filters: PetFilters): FilterCells =>
  newPetColumns
    .filter(({ field }) => petFilterNames.some((filter) => filter === field && filters[filter] !== undefined))
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
  for (const [index, { field, type }] of petColumns.entries()) {
    const cell = row[index];
    if (typeof cell === 'string') pet[field] = type === 'bigint' ? bigintFrom(cell) : cell;
  }
  if (PetCodec.is(pet)) return pet;
  throw new DiagnosedError(`the row with id ${idOfRow(row)} in table pets is invalid; correct or delete it`);
};

const idIndex = petColumns.findIndex(({ field }) => field === 'id');

export const idOfRow = (row: PetRow): string => row[idIndex] ?? '';
