import { type NewPet, Pet, petFilters, type PetFilters } from '../../../core';

export interface Column {
  readonly name: string;
  /** The type in both databases; every value comes and goes as text, so that nothing passes through a double. */
  readonly type: 'text' | 'bigint';
  readonly read: (text: string) => unknown;
}

const text = (name: string): Column => ({ name, type: 'text', read: (value) => value });
const bigint = (name: string): Column => ({ name, type: 'bigint', read: BigInt });

/** The column of each field that a NewPet may have. One that is missing here does not compile. */
const columnOf: { readonly [K in keyof Required<NewPet>]: Column } = {
  name: text('name'),
  categoryId: bigint('category_id'),
  status: text('status'),
};

const isField = (name: string): name is keyof NewPet => name in columnOf;

const newPetFields = Object.keys(columnOf).filter(isField);

/** The columns of `pets` that an insert fills, in the order of the cells of a new animal. */
export const newPetColumns: ReadonlyArray<Column> = newPetFields.map((field) => columnOf[field]);

/** Their names, as an insert lists them. */
export const newPetColumnNames = newPetColumns.map(({ name }) => name).join();

const fields: ReadonlyArray<readonly [keyof Pet, Column]> = [
  ['id', bigint('id')],
  ...newPetFields.map((field) => [field, columnOf[field]] as const),
];

/** The value of a column as text, null where there is none. */
export type Cell = string | null;

/** A row of `pets`, cell by cell: the id, then the columns of a new animal. */
export type PetRow = ReadonlyArray<Cell>;

/** What to select for a PetRow. A value of another type that a program has put there comes as text as well. */
export const petCells = fields.map(([, { name }]) => `cast(${name} as text)`).join(', ');

const toCell = (value: NewPet[keyof NewPet]): Cell => value?.toString() ?? null;

/** What an insert stores of an animal. */
export const newPetCells = (newPet: NewPet): ReadonlyArray<Cell> =>
  newPetFields.map((field) => toCell(newPet[field]));

/** The cells that the animals of a list must have, each with its column. */
export const filterCells = (filters: PetFilters): ReadonlyArray<readonly [Column, Cell]> =>
  petFilters
    .filter((field) => filters[field] !== undefined)
    .map((field) => [columnOf[field], toCell(filters[field])]);

/** The animal of a row. A row that is no animal can only be a defect, or another program's doing. */
export const petFromRow = (row: PetRow): Pet => {
  const pet: Record<string, unknown> = {};
  fields.forEach(([field, { read }], place) => {
    const cell = row[place];
    if (typeof cell === 'string') pet[field] = read(cell);
  });
  if (Pet.is(pet)) return pet;
  throw new TypeError(`row ${row[0] ?? ''} of pets is no animal`);
};

/** The id of a row, in digits. */
export const idOfRow = ([id]: PetRow): string => id ?? '';
