/*
 * Rules for the values of a store. Imports only validation.ts, which imports nothing, so that a bundle of the client
 * stays small.
 */
import { explainInteger, type FieldRule, predicateCheck, type TextPattern } from './validation';

/** Pattern of an API key: a bearer token (`b64token` of RFC 6750, section 2.1). */
export const apiKeyPattern: TextPattern = {
  pattern: /^[A-Za-z0-9\-._~+/]+=*$/,
  expected: 'letters, digits and -._~+/, with = only at its end',
};

const maxIdempotencyKeyLength = 255;

export const idempotencyKeyPattern: TextPattern = {
  pattern: new RegExp(`^[\\x20-\\x7e]{1,${maxIdempotencyKeyLength}}$`),
  expected: `1 to ${maxIdempotencyKeyLength} printable ASCII characters`,
};

/** Pattern of the ids of API keys and owners. Unlike API keys, these ids are not secret. */
export const publicIdPattern: TextPattern = {
  pattern: /^[^\0\p{Surrogate}]+$/u,
  expected: 'a string that is not empty, without U+0000 and lone surrogates',
};

export const defaultPageSize = 20;

export const maxPageSize = 100;

export const pageSizeCheck = predicateCheck(
  (size) => Number.isInteger(size) && Number(size) >= 1 && Number(size) <= maxPageSize,
  explainInteger('1', String(maxPageSize)),
);

/**
 * Parses a page size in digits, such as that of a query parameter. Returns undefined for another text. `pageSizeCheck`
 * checks the range.
 */
export const pageSizeFromText = (text: string): number | undefined =>
  /^[0-9]{1,20}$/.test(text) ? Number(text) : undefined;

export const listOrders = ['asc', 'desc'] as const;

/** Values of the status of an animal. */
export const petStatuses = ['available', 'pending', 'sold'] as const;

export const newPetRules = {
  /** Name of the animal: at most 1,000 characters (Unicode code points), without U+0000 and lone surrogates. */
  name: { kind: 'text', required: true, maxLength: 1_000 },
  /** Id of the category of the animal, an int64. */
  categoryId: { kind: 'int64', required: true, filter: true },
  /** Availability: `available`, `pending` or `sold`. An animal may have none. */
  status: { kind: 'enumeration', required: false, filter: true, values: petStatuses },
} as const satisfies Readonly<Record<string, FieldRule>>;

export const petRules = {
  /** Id of the animal, an int64 that the store assigns. */
  id: { kind: 'int64', required: true },
  ...newPetRules,
} as const satisfies Readonly<Record<string, FieldRule>>;

type FilterName<R> = { [Name in keyof R]: R[Name] extends { readonly filter: true } ? Name : never }[keyof R];

type Filters<R> = {
  readonly [Name in keyof Pick<R, FilterName<R>>]: R[Name] & { readonly required: false };
};

// Overload that gives the result its type, because `Object.fromEntries` loses the names of the properties.
function filtersIn<R>(rules: R): Filters<R>;
function filtersIn(rules: Readonly<Record<string, FieldRule>>): object {
  const filters = Object.entries(rules).filter(([, { filter }]) => filter === true);
  return Object.fromEntries(filters.map(([name, rule]) => [name, { ...rule, required: false }]));
}

export const filterRules = filtersIn(newPetRules);

/** Rules of the fields of a list query, except `limit`, which `pageSizeCheck` checks. */
export const listRules = {
  after: { kind: 'int64', required: false },
  order: { kind: 'enumeration', required: false, values: listOrders },
  ...filterRules,
} as const;
