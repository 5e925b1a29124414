import {
  type NewPet,
  Pet,
  type PetField,
  petFieldNames,
  petFields,
  petFilters,
  type PetFilters,
} from '../../../core';
import { permanentError } from './errors';

/**
 * Database column of a field of an animal. postgres/pet-statements.ts and sqlite/pet-statements.ts build their SQL from
 * the columns. Values are read and bound as text, because a JavaScript number would lose digits of a 64-bit integer.
 */
export interface Column {
  readonly field: keyof Pet;
  readonly name: string;
  readonly type: 'text' | 'bigint';
  readonly maxBytes: number | undefined;
}

export const leastInt64 = -(2n ** 63n);

export const petColumns: ReadonlyArray<Column> = petFieldNames.map((field) => {
  const spec: PetField = petFields[field];
  return {
    field,
    name: field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type: spec.kind === 'int64' ? 'bigint' : 'text',
    maxBytes: spec.kind === 'text' ? spec.maxBytes : undefined,
  };
});

export const newPetColumns = petColumns.filter(({ field }) => field !== 'id');

export type Cell = string | null;

export type PetRow = ReadonlyArray<Cell>;

/**
 * Returns SQL that reads a column as text. A text that is too long, which only another program can have written, is
 * read as null, and its row is then rejected. `octet_length` does not load the text. The limit is doubled, because
 * UTF-16 in SQLite takes up to twice the bytes of UTF-8.
 */
const cellOf = ({ name, maxBytes }: Column): string =>
  maxBytes === undefined
    ? `cast(${name} as text)`
    : `case when octet_length(${name}) <= ${2 * maxBytes} then cast(${name} as text) end`;

export const petCells = petColumns.map(cellOf).join(', ');

export const petCellsIf = (condition: string): string =>
  petColumns.map((column) => `case when ${condition} then ${cellOf(column)} end`).join(', ');

export const petBytes = newPetColumns
  .filter(({ type }) => type === 'text')
  .map(({ name }) => `coalesce(octet_length(${name}), 0)`)
  .join(' + ');

const toCell = (pet: { readonly [F in keyof Pet]?: Pet[F] | undefined }, field: keyof Pet): Cell =>
  pet[field]?.toString() ?? null;

export const newPetCells = (newPet: NewPet): ReadonlyArray<Cell> =>
  newPetColumns.map(({ field }) => toCell(newPet, field));

export const filterCells = (filters: PetFilters): ReadonlyArray<readonly [Column, Cell]> =>
  newPetColumns
    .filter(({ field }) => petFilters.some((filter) => filter === field && filters[filter] !== undefined))
    .map((column) => [column, toCell(filters, column.field)]);

export const petFromRow = (row: PetRow): Pet => {
  const pet: Record<string, unknown> = {};
  for (const [place, { field, type }] of petColumns.entries()) {
    const cell = row[place];
    if (typeof cell === 'string') pet[field] = type === 'bigint' ? BigInt(cell) : cell;
  }
  if (Pet.is(pet)) return pet;
  throw permanentError(`the row with id ${row[0] ?? ''} in table pets is invalid; correct or delete it`);
};

export const idOfRow = ([id]: PetRow): string => id ?? '';
