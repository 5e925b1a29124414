import { filterRules, type listRules, type newPetRules, petRules } from './rules';
import type { ValueOf } from './validation';

type RequiredName<R> = {
  readonly [Name in keyof R]: R[Name] extends { readonly required: true } ? Name : never;
}[keyof R];

/**
 * Maps the names of rules in `R` to the types of their values. In this form of a type, editors show the comment on a
 * rule also at the field that derives from it.
 */
type Values<R, Name extends keyof R> = { readonly [Field in Name]: ValueOf<R[Field]> };

type ObjectOf<R> = Values<R, RequiredName<R>> & Partial<Values<R, Exclude<keyof R, RequiredName<R>>>>;

/** Animal to add, which has no id yet. */
export interface NewPet extends ObjectOf<typeof newPetRules> {}

/** Animal in the store: the fields of a NewPet, and the id that the store has assigned. */
export interface Pet extends ObjectOf<typeof petRules> {}

/**
 * New values for fields of an animal. A missing or undefined field keeps its value, and null removes an optional
 * field.
 */
export type PetChanges = {
  readonly [Name in keyof NewPet]?:
    NewPet[Name] | (undefined extends NewPet[Name] ? null : never) | undefined;
};

/** Availability of an animal: `available`, `pending` or `sold`. */
export type PetStatus = ValueOf<typeof newPetRules.status>;

/** Order of a list by id: `asc`, or `desc` for the newest animals first. */
export type ListOrder = ValueOf<typeof listRules.order>;

type FilterName = keyof typeof filterRules;

/** Filters of a list: values that the listed animals must have. An undefined filter matches every animal. */
export type PetFilters = {
  readonly [Name in keyof typeof filterRules]?: NewPet[Name] | undefined;
};

/**
 * Query for a page of at most `limit` animals that pass the filters. The API accepts a limit of 1 to 100. With `after`,
 * the page starts after this id. The default order is `asc`.
 */
export interface PetQuery extends PetFilters {
  readonly limit: number;
  readonly after?: bigint | undefined;
  readonly order?: ListOrder | undefined;
}

/** Page of animals, in the order of their query. `hasMore` is true if a next page exists. */
export interface PetPage {
  readonly pets: ReadonlyArray<Pet>;
  readonly hasMore: boolean;
}

const isPetField = (name: string): name is keyof Pet => name in petRules;

/** Names of the fields of an animal, in the order of the properties in JSON. */
export const petFieldNames = Object.keys(petRules).filter(isPetField);

/** Names of the fields of a new animal, in the order of `petFieldNames`. */
export const newPetFieldNames = petFieldNames.filter((name) => name !== 'id');

const isFilter = (name: string): name is FilterName => name in filterRules;

/** Names of the fields by which a list can be filtered. A filter only tests equality. */
export const petFilterNames: ReadonlyArray<FilterName> = Object.keys(filterRules).filter(isFilter);

/** Reports whether an animal has the value of each filter that is defined. */
export const passesFilters = (filters: PetFilters, pet: Pet): boolean =>
  petFilterNames.every((name) => filters[name] === undefined || filters[name] === pet[name]);

export const compareById = ({ id: one }: Pet, { id: other }: Pet): number =>
  one < other ? -1 : one > other ? 1 : 0;

/** Returns the comparison function with which `sort` puts animals into this order. */
export const compareIn = (order: ListOrder = 'asc') =>
  order === 'asc' ? compareById : (one: Pet, other: Pet) => compareById(other, one);

/** Returns how many animals to read for a page: one more than its limit, to learn whether a next page exists. */
export const countToFind = (limit: number): number => limit + 1;

/**
 * Makes a page from up to `countToFind(limit)` animals, in the order of the query. Freezes the page and its animals, so
 * that callers can share them.
 */
export const toPage = (limit: number, found: ReadonlyArray<Pet>): PetPage =>
  Object.freeze({
    pets: Object.freeze(found.slice(0, limit).map((pet) => Object.freeze(pet))),
    hasMore: found.length > limit,
  });
