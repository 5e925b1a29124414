/*
 * Rules for the values of a store. codec.ts, pets.ts and keys.ts make codecs from them. client/ checks arguments with
 * them. This file does not import io-ts, so that client/ does not load it.
 */

export interface Rule<A> {
  readonly holds: (value: A) => boolean;
  readonly expected: string;
}

export const int64Rule: Rule<bigint> = {
  holds: (value) => BigInt.asIntN(64, value) === value,
  expected: 'an integer from -9223372036854775808 to 9223372036854775807',
};

const decimal = /^-?0*[0-9]{1,19}$/;

/** True for an integer of at most 19 digits after leading zeros. `BigInt` is slow for long texts. */
export const isDecimal = (text: string): boolean => decimal.test(text);

const unstorable = /[\0\p{Surrogate}]/u;

/** True if every database stores the text unchanged. PostgreSQL rejects U+0000, and SQLite replaces lone surrogates. */
export const isStorable = (value: string): boolean => !unstorable.test(value);

/** True if the text has at most `maxLength` code points. A code point takes at most two elements of a JavaScript string. */
const isShortEnough = (value: string, maxLength: number): boolean =>
  value.length <= maxLength || (value.length <= 2 * maxLength && Array.from(value).length <= maxLength);

export const textRule = (maxLength: number): Rule<string> => ({
  holds: (value) => isShortEnough(value, maxLength) && isStorable(value),
  expected: `a string of at most ${maxLength} characters, without U+0000 and lone surrogates`,
});

export const enumerationRule = (values: ReadonlyArray<string>): Rule<string> => ({
  holds: (value) => values.includes(value),
  expected: `one of ${values.join(', ')}`,
});

const b64token = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Rule of an API key: a bearer token (`b64token` of RFC 6750, section 2.1). */
export const apiKeyRule: Rule<string> = {
  holds: (key) => b64token.test(key),
  expected: 'letters, digits and -._~+/ with = at the end only',
};

const printableAscii = /^[\x20-\x7e]{1,255}$/;

export const idempotencyKeyRule: Rule<string> = {
  holds: (key) => printableAscii.test(key),
  expected: '1 to 255 printable ASCII characters',
};

export const maxPageSize = 100;

export const pageSizeRule: Rule<number> = {
  holds: (size) => Number.isInteger(size) && size >= 1 && size <= maxPageSize,
  expected: `an integer from 1 to ${maxPageSize}`,
};

/** Rule of a field of an animal. A client can filter a list by the fields with `filter`. */
export type FieldRule = (
  | { readonly kind: 'text'; readonly maxLength: number }
  | { readonly kind: 'int64' }
  | { readonly kind: 'enumeration'; readonly values: ReadonlyArray<string> }
) & { readonly required: boolean; readonly filter?: true };

export const newPetRules = {
  name: { kind: 'text', required: true, maxLength: 1_000 },
  categoryId: { kind: 'int64', required: true },
  status: { kind: 'enumeration', required: false, filter: true, values: ['available', 'pending', 'sold'] },
} as const satisfies Readonly<Record<string, FieldRule>>;

/** Name of a field by which a client can filter a list. */
export type FilterName = {
  [K in keyof typeof newPetRules]: (typeof newPetRules)[K] extends { readonly filter: true } ? K : never;
}[keyof typeof newPetRules];

export const petRules = {
  id: { kind: 'int64', required: true },
  ...newPetRules,
} as const satisfies Readonly<Record<string, FieldRule>>;

/** Maximum delay of `setTimeout`, 24.8 days. A timer with a longer delay would fire at once. */
export const maxTimerMs = 2 ** 31 - 1;
