/*
 * Engine that checks values: those of requests, files, arguments and options. Imports nothing, so that a bundle of the
 * client stays small.
 *
 * `fieldCheck` turns the rule `{ kind: 'int64', required: true }` of `categoryId` into a Check, which decodes 7 to 7n.
 * `objectCheck` combines the Checks of the fields of an object. Codecs for io-ts (codec.ts) use these Checks.
 */

/** Rule that an invalid value breaks, with its limits. `minimum` and `maximum` are decimal digits. */
export type Violation = (
  | {
      /** Rule that the value breaks. The other properties are its limits. */
      readonly rule: 'required' | 'not_integer' | 'invalid';
    }
  | { readonly rule: 'too_long'; readonly maxLength: number }
  | { readonly rule: 'out_of_range'; readonly minimum: string; readonly maximum: string }
  | { readonly rule: 'not_one_of'; readonly values: ReadonlyArray<string> }
) & {
  /** Accepted values in words, which can follow `must be`. */
  readonly expected: string;
};

/** Invalid field or argument, and the rule that its value breaks. Other properties are the limits of the rule. */
export type InvalidField = Violation & {
  /** Name of the field or argument. Empty if the whole input has the wrong type. */
  readonly name: string;
};

/** Check of a value that is not undefined. */
export interface Check {
  /** Returns the value that an input stands for, or undefined if the input is invalid. */
  readonly decode: (input: unknown) => unknown;
  /** Returns the rule that an invalid input breaks. */
  readonly explain: (input: unknown) => Violation;
  /** True if an object must have the field. */
  readonly required?: boolean | undefined;
}

/** Rule of a field of an animal. With `filter: true`, a list can be filtered by equality with a value of the field. */
export type FieldRule = (
  | { readonly kind: 'text'; readonly maxLength: number }
  | { readonly kind: 'int64' }
  | { readonly kind: 'enumeration'; readonly values: ReadonlyArray<string> }
) & { readonly required: boolean; readonly filter?: true };

/** Type of the values of a field with the rule `R`. */
export type ValueOf<R> = R extends { readonly kind: 'int64' }
  ? bigint
  : R extends { readonly values: ReadonlyArray<infer V> }
    ? V
    : string;

/** Check of a field of an animal, and its conversion from text. */
export interface FieldCheck extends Check {
  /** Reads a value from a text, such as a query parameter, a CSV cell or an SQL result. `String` is its inverse. */
  readonly fromText: (text: string) => string | bigint | undefined;
}

export const isString = (input: unknown): input is string => typeof input === 'string';

/** Makes a check that returns valid values unchanged. `explain` may be a text that describes the valid values. */
export const predicateCheck = (
  holds: (input: unknown) => boolean,
  explain: string | Check['explain'],
): Check => ({
  decode: (input) => (holds(input) ? input : undefined),
  explain: isString(explain) ? () => ({ rule: 'invalid', expected: explain }) : explain,
});

/** Pattern that a text must match. `expected` describes the accepted texts, and can follow `must be`. */
export interface TextPattern {
  readonly pattern: RegExp;
  readonly expected: string;
}

export const textCheck = ({ pattern, expected }: TextPattern): Check =>
  predicateCheck((input) => isString(input) && pattern.test(input), expected);

/** Makes a check that converts its input first. */
export const converted = (check: Check, convert: (input: unknown) => unknown): Check => ({
  ...check,
  decode: (input) => check.decode(convert(input)),
  explain: (input) => check.explain(convert(input)),
});

/** Makes a check that ignores blanks around a text, such as a key or digits that a person has typed or pasted. */
export const trimmed = (check: Check): Check =>
  converted(check, (input) => (isString(input) ? input.trim() : input));

const unstorable = /[\0\p{Surrogate}]/u;

/** Counts code points only if `length` does not decide: a code point has 1 or 2 UTF-16 units. */
const isTooLong = (value: string, maxLength: number): boolean =>
  value.length > maxLength && (value.length > 2 * maxLength || Array.from(value).length > maxLength);

export const leastInt64 = -(2n ** 63n);
export const greatestInt64 = 2n ** 63n - 1n;

export const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

const decimal = /^-?0*[0-9]{1,19}$/;

/** Parses an int64 in digits, or returns undefined. Tests the text first, because `BigInt` is slow for long texts. */
export const int64FromText = (text: string): bigint | undefined => {
  const value = decimal.test(text) ? BigInt(text) : undefined;
  return value !== undefined && isInt64(value) ? value : undefined;
};

/** Accepts bigints in the range of int64, and safe integers. Other numbers may have lost digits already. */
const toInt64 = (input: unknown): bigint | undefined => {
  const value = typeof input === 'number' && Number.isSafeInteger(input) ? BigInt(input) : input;
  return typeof value === 'bigint' && isInt64(value) ? value : undefined;
};

/** Makes the function that returns the rule which an invalid integer breaks. */
export const explainInteger = (minimum: string, maximum: string): Check['explain'] => {
  const expected = `an integer from ${minimum} to ${maximum}`;
  return (input) => {
    const isOutside = isString(input)
      ? /^-?\d+$/.test(input) && int64FromText(input) === undefined
      : typeof input === 'bigint' || Number.isInteger(input);
    return isOutside
      ? { rule: 'out_of_range', minimum, maximum, expected }
      : { rule: 'not_integer', expected };
  };
};

const stringFieldCheck = (
  { required }: FieldRule,
  isValid: (text: string) => boolean,
  explain: Check['explain'],
): FieldCheck => ({
  ...predicateCheck((input) => isString(input) && isValid(input), explain),
  fromText: (text) => (isValid(text) ? text : undefined),
  required,
});

const explainInt64 = explainInteger(String(leastInt64), String(greatestInt64));
const unsafe = '; a number is exact only up to 2^53, so pass a bigint or its digits';

/** Makes the check of a rule. To add a kind of field, add a case. */
export const fieldCheck = (rule: FieldRule): FieldCheck => {
  switch (rule.kind) {
    case 'text': {
      const { maxLength } = rule;
      const isLong = (text: string) => isTooLong(text, maxLength);
      const expected = `a string of at most ${maxLength} characters, without U+0000 and lone surrogates`;
      return stringFieldCheck(
        rule,
        (text) => !isLong(text) && !unstorable.test(text),
        (input) =>
          isString(input) && isLong(input)
            ? { rule: 'too_long', maxLength, expected }
            : { rule: 'invalid', expected },
      );
    }
    case 'int64':
      return {
        decode: toInt64,
        fromText: int64FromText,
        explain: (input) => {
          const violation = explainInt64(input);
          return Number.isInteger(input)
            ? { ...violation, expected: violation.expected + unsafe }
            : violation;
        },
        required: rule.required,
      };
    case 'enumeration': {
      const { values } = rule;
      return stringFieldCheck(
        rule,
        (text) => values.includes(text),
        () => ({ rule: 'not_one_of', values, expected: `one of ${values.join(', ')}` }),
      );
    }
  }
};

/** Checks of the properties of an `A`. Each check must return values of the type of its property. */
export type FieldChecks<A> = { readonly [Name in keyof A]-?: Check };

// Overload that gives the result its type, because `Object.fromEntries` loses the names of the properties.
export function fieldChecks<R>(rules: R, toCheck?: (rule: FieldRule) => Check): FieldChecks<R>;
export function fieldChecks(
  rules: Readonly<Record<string, FieldRule>>,
  toCheck: (rule: FieldRule) => Check = fieldCheck,
): object {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, toCheck(rule)]));
}

/** Result of a check: the object with only the known fields, and the names of the properties that were left out. */
export interface Checked<A> {
  readonly value: A;
  readonly unknownFields: ReadonlyArray<string>;
}

/** Check of an object. Returns an Either, but does not name its type, because this file must not import fp-ts. */
export type ObjectCheck<A> = (
  input: unknown,
) =>
  | { readonly _tag: 'Left'; readonly left: ReadonlyArray<InvalidField> }
  | { readonly _tag: 'Right'; readonly right: Checked<A> };

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Makes the check of an object. The check copies the own properties that are fields, except undefined ones. It fails on
 * an unknown property if `refuses` returns true for its name, and ignores other unknown properties.
 */
export const objectCheck = <A>(
  fields: FieldChecks<A>,
  refuses: (name: string) => boolean = () => false,
): ObjectCheck<A> => {
  const checks = Object.entries<Check>(fields);
  const names = Object.keys(fields).join(', ');
  return (input) => {
    if (!isObject(input))
      return { _tag: 'Left', left: [{ name: '', rule: 'invalid', expected: 'an object' }] };
    const values: Record<string, unknown> = {};
    const invalid: Array<InvalidField> = [];
    for (const [name, { decode, explain, required = false }] of checks) {
      const given = Object.hasOwn(input, name) ? input[name] : undefined;
      const value = given === undefined ? undefined : decode(given);
      if (value !== undefined) values[name] = value;
      else if (given !== undefined) invalid.push({ name, ...explain(given) });
      else if (required) invalid.push({ name, rule: 'required', expected: explain(given).expected });
    }
    const unknownFields = Object.keys(input).filter((name) => !Object.hasOwn(fields, name));
    for (const name of unknownFields.filter(refuses))
      invalid.push({ name, rule: 'invalid', expected: `left out; known names are ${names}` });
    const isValid = (_values: unknown): _values is A => invalid.length === 0;
    return isValid(values)
      ? { _tag: 'Right', right: { value: values, unknownFields } }
      : { _tag: 'Left', left: invalid };
  };
};

/** Describes what each invalid field must be. `whole` is the name of the input itself, such as `the body`. */
export const invalidFieldTexts = (fields: ReadonlyArray<InvalidField>, whole = 'it'): ReadonlyArray<string> =>
  fields.map(({ name, expected, rule }) =>
    rule === 'required' ? `${name} is required` : `${name || whole} must be ${expected}`,
  );
