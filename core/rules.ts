/*
 * Rules for the values of a store. Imports nothing, so that a bundle of the client stays small.
 */

export interface Rule<A> {
  readonly holds: (value: A) => boolean;
  readonly expected: string;
}

const minInt64 = String(-(2n ** 63n));
const maxInt64 = String(2n ** 63n - 1n);

export const int64Rule: Rule<bigint> = {
  holds: (value) => BigInt.asIntN(64, value) === value,
  expected: `an integer from ${minInt64} to ${maxInt64}`,
};

const decimal = /^-?0*[0-9]{1,19}$/;

/** Parses an int64 in decimal digits, or returns undefined. Tests the text first: `BigInt` is slow for long texts. */
export const int64FromText = (text: string): bigint | undefined => {
  const value = decimal.test(text) ? BigInt(text) : undefined;
  return value !== undefined && int64Rule.holds(value) ? value : undefined;
};

const unstorable = /[\0\p{Surrogate}]/u;

/** True if every database stores the text unchanged. PostgreSQL rejects U+0000, and SQLite replaces lone surrogates. */
export const isStorable = (value: string): boolean => !unstorable.test(value);

/** Compares the number of code points. Each has the length 1 or 2, so `length` often decides without counting them. */
const isShortEnough = (value: string, maxLength: number): boolean =>
  value.length <= maxLength || (value.length <= 2 * maxLength && Array.from(value).length <= maxLength);

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

export const defaultPageSize = 20;

export const maxPageSize = 100;

export const pageSizeRule: Rule<number> = {
  holds: (size) => Number.isInteger(size) && size >= 1 && size <= maxPageSize,
  expected: `an integer from 1 to ${maxPageSize}`,
};

/** Orders of a list: by ascending id, or the newest animals first. */
export const listOrders = ['asc', 'desc'] as const;

export const listOrderRule = { kind: 'enumeration', required: false, values: listOrders } as const;

/** Rule of a field of an animal. Lists can be filtered by a field with `filter: true`. */
export type FieldRule = (
  | { readonly kind: 'text'; readonly maxLength: number }
  | { readonly kind: 'int64' }
  | { readonly kind: 'enumeration'; readonly values: ReadonlyArray<string> }
) & { readonly required: boolean; readonly filter?: true };

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

/** Type of the values of a field with the rule `R`. */
export type ValueOf<R> = R extends { readonly kind: 'int64' }
  ? bigint
  : R extends { readonly values: ReadonlyArray<infer V> }
    ? V
    : string;

type FieldValue = ValueOf<FieldRule>;

/**
 * Reason why a value is invalid: the rule that it breaks, with its limits. `minimum` and `maximum` are decimal digits.
 */
export type Violation =
  | {
      /** Rule that the value breaks. The other properties are its limits. */
      readonly rule: 'required' | 'not_integer' | 'invalid';
    }
  | { readonly rule: 'too_long'; readonly maxLength: number }
  | { readonly rule: 'out_of_range'; readonly minimum: string; readonly maximum: string }
  | { readonly rule: 'not_one_of'; readonly values: ReadonlyArray<string> };

/** Violation, and the accepted values in words, which a web page may show to its visitors. */
export type ExplainedViolation = Violation & { readonly expected: string };

/** Validation of the values of a field, and their conversion from text. */
export interface FieldType {
  /** Returns the value that an input stands for, or undefined if the input is invalid. */
  readonly decode: (input: unknown) => FieldValue | undefined;
  /** Reads a value from a text, such as a query parameter, a CSV cell or an SQL result. `String` is its inverse. */
  readonly fromText: (text: string) => FieldValue | undefined;
  /** Values that `decode` accepts, in words. */
  readonly expected: string;
  /** Returns the rule that a value breaks. The value must be invalid. */
  readonly explain: (input: unknown) => ExplainedViolation;
  /** Type of the values in JSON. An integer has all its digits. */
  readonly jsonType: 'integer' | 'string';
}

const textType = (
  holds: (value: string) => boolean,
  expected: string,
  explain: FieldType['explain'],
): FieldType => {
  const decode = (input: unknown) => (typeof input === 'string' && holds(input) ? input : undefined);
  return { decode, fromText: decode, expected, explain, jsonType: 'string' };
};

/** Returns the rule that an invalid integer breaks. A `number` beyond the safe integers counts as out of range. */
export const explainInteger = (input: unknown, minimum: string, maximum: string): ExplainedViolation => {
  const isInteger =
    typeof input === 'string' ? /^-?\d+$/.test(input) : typeof input === 'bigint' || Number.isInteger(input);
  const expected = 'a whole number';
  return isInteger
    ? { rule: 'out_of_range', minimum, maximum, expected: `${expected} from ${minimum} to ${maximum}` }
    : { rule: input === '' || input == null ? 'required' : 'not_integer', expected };
};

const explainInt64: FieldType['explain'] = (input) => {
  const violation = explainInteger(input, minInt64, maxInt64);
  const hint = typeof input === 'number' && violation.rule === 'out_of_range';
  const unsafe = '; a number is exact only up to 2^53, so pass a bigint or its digits';
  return hint ? { ...violation, expected: violation.expected + unsafe } : violation;
};

/** Accepts bigints in the range of int64, and safe integers. Larger numbers may already have lost digits. */
const int64Type: FieldType = {
  decode: (input) => {
    const value = typeof input === 'number' && Number.isSafeInteger(input) ? BigInt(input) : input;
    return typeof value === 'bigint' && int64Rule.holds(value) ? value : undefined;
  },
  fromText: int64FromText,
  expected: int64Rule.expected,
  explain: explainInt64,
  jsonType: 'integer',
};

const textViolation = (input: unknown, maxLength: number): ExplainedViolation => {
  if (input == null) return { rule: 'required', expected: 'a text' };
  if (typeof input !== 'string') return { rule: 'invalid', expected: 'a text' };
  return isShortEnough(input, maxLength)
    ? { rule: 'invalid', expected: 'a text without U+0000 and lone surrogates' }
    : { rule: 'too_long', maxLength, expected: `at most ${maxLength} characters long` };
};

/** Returns the FieldType of a rule. To add a kind of field, add a case. */
export const fieldType = (rule: FieldRule): FieldType => {
  switch (rule.kind) {
    case 'text':
      return textType(
        (value) => isShortEnough(value, rule.maxLength) && isStorable(value),
        `a string of at most ${rule.maxLength} characters, without U+0000 and lone surrogates`,
        (input) => textViolation(input, rule.maxLength),
      );
    case 'int64':
      return int64Type;
    case 'enumeration': {
      const { values } = rule;
      const expected = `one of ${values.join(', ')}`;
      return textType(
        (value) => values.includes(value),
        expected,
        () => ({
          rule: 'not_one_of',
          values,
          expected,
        }),
      );
    }
  }
};
