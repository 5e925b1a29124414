import * as t from 'io-ts';
import { brand, decodeOrThrow, type FromDecodeOrThrow } from './codec';
import { type NewPet, newPetFields, type Pet, type PetField, PetId } from './pets';
import { type Fields, record } from './record';
import { pageSizeRule } from './rules';

/** Maximum number of animals on a page: 1 to 100. */
export type PageSize = number & FromDecodeOrThrow<'PageSize'>;
export const PageSize: t.Type<PageSize, number> = brand('PageSize', t.number, pageSizeRule);

export const defaultPageSize: PageSize = decodeOrThrow(PageSize, 20);

export const largestPageSize: PageSize = decodeOrThrow(PageSize, 100);

type FieldTable = typeof newPetFields;

type FilterName = {
  [K in keyof FieldTable]: FieldTable[K] extends { readonly filter: true } ? K : never;
}[keyof FieldTable];

const isFilter = (name: string): name is FilterName =>
  Object.entries<PetField>(newPetFields).some(([field, { filter }]) => field === name && filter === true);

export const petFilters: ReadonlyArray<FilterName> = Object.keys(newPetFields).filter(isFilter);

export type PetFilters = { readonly [Field in FilterName]?: NewPet[Field] | undefined };

/**
 * Query for a page: at most `limit` animals that pass the filters and have an id greater than `after`. operations.ts
 * and the clients decode their arguments with `ListPetsQuery`, and set a default limit.
 */
export interface PetQuery extends PetFilters {
  readonly limit: PageSize;
  readonly after?: PetId | undefined;
}

function optional<F extends Fields, K extends keyof F & string>(
  fields: F,
  names: ReadonlyArray<K>,
): { readonly [Name in K]: { readonly codec: F[Name]['codec']; readonly required: false } };
function optional(fields: Fields, names: ReadonlyArray<string>): object {
  return Object.fromEntries(names.map((name) => [name, { ...fields[name], required: false }]));
}

export const ListPetsQuery = record('PetQuery', {
  limit: { codec: PageSize, required: false },
  after: { codec: PetId, required: false },
  ...optional(newPetFields, petFilters),
});

/** True if the animal has the value of each given filter. */
export const passesFilters = (filters: PetFilters, pet: Pet): boolean =>
  petFilters.every((field) => filters[field] === undefined || filters[field] === pet[field]);

/** Page of animals, sorted by ascending id. `hasMore` is true if a next page exists. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>;
  readonly hasMore: boolean;
}

export const compareById = ({ id: one }: Pet, { id: other }: Pet): number =>
  one < other ? -1 : one > other ? 1 : 0;

export const countToFind = (limit: PageSize): number => limit + 1;

/**
 * Makes a page from the animals that a repository has found, sorted by id. A repository looks for `countToFind`
 * animals, one more than `limit`, to learn whether a next page exists. Freezes the page and its animals, so that
 * callers can share them.
 */
export const toPage = (limit: PageSize, found: ReadonlyArray<Pet>): PetPage =>
  Object.freeze({
    pets: Object.freeze(found.slice(0, limit).map((pet) => Object.freeze(pet))),
    hasMore: found.length > limit,
  });
