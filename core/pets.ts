import * as t from 'io-ts';
import {
  brand,
  decodeOrThrow,
  enumeration,
  type Fields,
  type FromDecodeOrThrow,
  int64,
  record,
  type RecordCodec,
  type RecordOf,
  text,
} from './codec';
import { type FieldRule, type FilterName, maxPageSize, newPetRules, pageSizeRule, petRules } from './rules';

/** Identifier of an animal: an int64 that the store assigns. */
export type PetId = bigint & FromDecodeOrThrow<'PetId'>;
export const PetId: t.Type<PetId, bigint> = int64('PetId');

/** Identifier of the category of an animal: an int64. The store has no other data about categories. */
export type CategoryId = bigint & FromDecodeOrThrow<'CategoryId'>;
export const CategoryId: t.Type<CategoryId, bigint> = int64('CategoryId');

/**
 * Name of an animal: at most 1,000 characters (Unicode code points), possibly empty, without U+0000 and lone
 * surrogates. With this limit, a page of 100 animals has at most 400 kB of names.
 */
export type PetName = string & FromDecodeOrThrow<'PetName'>;
export const PetName: t.Type<PetName, string> = text('PetName', newPetRules.name.maxLength);

export type PetStatus = (typeof newPetRules.status.values)[number];
export const PetStatus: t.Type<PetStatus, string> = enumeration('PetStatus', newPetRules.status.values);

/**
 * Description of a field of an animal. It defines the field's JSON (adapters/json), database column (adapters/knex),
 * OpenAPI schema (adapters/http/openapi) and CSV column (app/transfer).
 */
export type PetField = Fields[string] &
  FieldRule & {
    readonly description: string;
    readonly example: string | bigint;
  };

export const newPetFields = {
  name: {
    ...newPetRules.name,
    codec: PetName,
    description:
      "The animal's name: any text of at most 1,000 characters (Unicode code points), without U+0000 and without lone surrogates. It is returned byte for byte.",
    example: 'Rex',
  },
  categoryId: {
    ...newPetRules.categoryId,
    codec: CategoryId,
    description:
      'Id of the category of the animal. It can be larger than 2^53, the limit of exact integers in JavaScript.',
    example: 7n,
  },
  status: {
    ...newPetRules.status,
    codec: PetStatus,
    description: 'Availability of the animal.',
    example: 'available',
  },
} as const satisfies Readonly<Record<string, PetField>>;

export const petFields = {
  id: {
    ...petRules.id,
    codec: PetId,
    description: 'Assigned by the service.',
    example: 1n,
  },
  ...newPetFields,
} as const satisfies Readonly<Record<string, PetField>>;

const isPetField = (name: string): name is keyof typeof petFields => name in petFields;

export const petFieldNames = Object.keys(petFields).filter(isPetField);

/** Animal to add, which has no id yet. */
export interface NewPet extends RecordOf<typeof newPetFields> {}
export const NewPet: RecordCodec<NewPet> = record('NewPet', newPetFields);

/** Animal in the store: the fields of a NewPet, and its id. A stored animal never changes. */
export interface Pet extends RecordOf<typeof petFields> {}
export const Pet: RecordCodec<Pet> = record('Pet', petFields);

/** Maximum number of animals on a page: 1 to 100. */
export type PageSize = number & FromDecodeOrThrow<'PageSize'>;
export const PageSize: t.Type<PageSize, number> = brand('PageSize', t.number, pageSizeRule);

export const defaultPageSize: PageSize = decodeOrThrow(PageSize, 20);

export const largestPageSize: PageSize = decodeOrThrow(PageSize, maxPageSize);

const isFilter = (name: string): name is FilterName =>
  Object.entries<PetField>(newPetFields).some(([field, { filter }]) => field === name && filter === true);

export const petFilters: ReadonlyArray<FilterName> = Object.keys(newPetFields).filter(isFilter);

export type PetFilters = { readonly [Field in FilterName]?: NewPet[Field] | undefined };

/**
 * Query for a page: at most `limit` animals that pass the filters and have an id greater than `after`. operations.ts
 * and embedded-client.ts decode their arguments with `ListPetsQuery`.
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
