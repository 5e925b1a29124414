import type { NewPet, Pet, PetFilters } from '../../core/pets';
import {
  apiKeyRule,
  type ExplainedViolation,
  explainInteger,
  type FieldRule,
  fieldType,
  idempotencyKeyRule,
  listOrderRule,
  maxPageSize,
  newPetRules,
  pageSizeRule,
  petRules,
  type Rule,
} from '../../core/rules';
import { type InvalidField, invalidArgument } from './animal-store-error';
import type { CallOptions, CreateOptions, PageStart } from './options';

/** Returns a property of any value, or undefined. Unlike `instanceof`, works for objects of other JavaScript realms. */
export const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** Check of an argument. Returns the value of a valid argument, or the rule that an invalid argument breaks. */
export type Check = (input: unknown) => { readonly value: unknown } | ExplainedViolation;

type Checks<A> = { readonly [Name in keyof A]-?: Check };

export const when =
  (holds: (input: unknown) => boolean, expected: string): Check =>
  (input) =>
    holds(input) ? { value: input } : { rule: input === undefined ? 'required' : 'invalid', expected };

export const optional =
  (check: Check): Check =>
  (input) =>
    input === undefined ? { value: input } : check(input);

export const isString = (input: unknown): input is string => typeof input === 'string';
const isNumber = (input: unknown): input is number => typeof input === 'number';
export const isFunction = (input: unknown): input is (...values: ReadonlyArray<unknown>) => unknown =>
  typeof input === 'function';

const stringOf = ({ holds, expected }: Rule<string>): Check =>
  when((input) => isString(input) && holds(input), expected);

/** Makes the check of a field that a caller passes. An int64 may also be a string of decimal digits. */
const checkOf = (rule: FieldRule): Check => {
  const { decode, fromText, explain } = fieldType(rule);
  return (input) => {
    const value = isString(input) ? fromText(input) : decode(input);
    return value === undefined ? explain(input) : { value };
  };
};

/** Makes the check of a field of a response that `parseJson` has read. An int64 must be a bigint. */
const checkParsed = (rule: FieldRule): Check => {
  const { decode, expected } = fieldType(rule);
  return when((input) => !isNumber(input) && decode(input) !== undefined, expected);
};

function fieldChecks<R>(rules: R, check: (rule: FieldRule) => Check): Checks<R>;
function fieldChecks(rules: Readonly<Record<string, FieldRule>>, check: (rule: FieldRule) => Check): object {
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, rule.required ? check(rule) : optional(check(rule))]),
  );
}

// Does not use `instanceof`, because the signal may come from another JavaScript realm, such as that of a test runner.
const isAbortSignal = (input: unknown): boolean =>
  propertyOf(input, 'aborted') !== undefined && isFunction(propertyOf(input, 'addEventListener'));

const isHeaders = (input: unknown): boolean => {
  try {
    return Reflect.construct(Headers, [input]) !== undefined;
  } catch {
    return false;
  }
};

export const callChecks: Checks<CallOptions> = {
  signal: optional(when(isAbortSignal, 'an AbortSignal')),
  timeoutMs: optional(when((input) => isNumber(input) && input > 0, 'a number greater than 0')),
  retryForMs: optional(when((input) => isNumber(input) && input >= 0, 'a number of at least 0')),
  onRetry: optional(when(isFunction, 'a function')),
  fetch: optional(when(isFunction, 'a function like fetch')),
  headers: optional(when(isHeaders, 'headers, such as { name: value }')),
};

export const createChecks: Checks<CreateOptions> = {
  ...callChecks,
  idempotencyKey: optional(stringOf(idempotencyKeyRule)),
};

const newPetChecks = fieldChecks(newPetRules, checkOf);
const petChecks = fieldChecks(petRules, checkParsed);

const checkInt64 = checkOf(petRules.id);

/** Accepts a number or a bigint, because `parseJson` reads the page size of stored options as a bigint. */
const checkPageSize: Check = (input) => {
  const value = typeof input === 'bigint' ? Number(input) : input;
  return isNumber(value) && pageSizeRule.holds(value)
    ? { value }
    : explainInteger(input, '1', String(maxPageSize));
};

/** Makes a check for which null and an empty text mean no filter. A form sends an empty text if nothing is chosen. */
const filter =
  (check: Check): Check =>
  (input) =>
    input === null || input === '' ? { value: undefined } : check(input);

function filterChecks(): Checks<PetFilters>;
function filterChecks(): object {
  return Object.fromEntries(
    Object.entries<FieldRule>(newPetRules)
      .filter(([, rule]) => rule.filter === true)
      .map(([name, rule]) => [name, filter(optional(checkOf(rule)))]),
  );
}

export const pageStartChecks: Checks<PageStart> = {
  ...filterChecks(),
  order: optional(checkOf(listOrderRule)),
  after: optional(checkInt64),
  pageSize: optional(checkPageSize),
};

/** API key, or a function that returns the current key before each attempt. */
export type ApiKeySource = string | (() => string | Promise<string>);

const checkApiKey: Check = stringOf(apiKeyRule);

export const checkApiKeySource: Check = (input) =>
  isFunction(input) ? { value: input } : checkApiKey(input);

export const int64Check: Check = optional(
  when((input) => input === 'bigint' || input === 'string', "'bigint' or 'string'"),
);

/**
 * Checks named arguments, and returns those that are defined, with int64 values as bigints. Throws an AnimalStoreError
 * with the code `invalid_argument`, which names each invalid, missing or unknown argument. With `ignoresOthers`, leaves
 * out unknown arguments.
 */
export const checkArguments = <A>(
  subject: string,
  input: unknown,
  checks: Checks<A>,
  { ignoresOthers = false } = {},
): A => {
  if (typeof input !== 'object' || input === null)
    throw invalidArgument([
      { name: subject, expected: 'an object', rule: input === undefined ? 'required' : 'invalid' },
    ]);
  const values: Record<string, unknown> = {};
  const invalid: Array<InvalidField> = [];
  for (const [name, check] of Object.entries<Check>(checks)) {
    const given: unknown = Object.hasOwn(input, name) ? Reflect.get(input, name) : undefined;
    const checked = check(given);
    if ('expected' in checked) invalid.push({ name, ...checked });
    else if (checked.value !== undefined) values[name] = checked.value;
  }
  const names = Object.keys(checks);
  for (const name of ignoresOthers ? [] : Object.keys(input)) {
    if (!names.includes(name))
      invalid.push({ name, rule: 'invalid', expected: `left out; known names are ${names.join(', ')}` });
  }
  const areValid = (_values: unknown): _values is A => invalid.length === 0;
  if (!areValid(values)) throw invalidArgument(invalid);
  return values;
};

/** Checks an animal to add. Ignores unknown fields, as the service does. */
export const checkNewPet = (input: unknown): NewPet =>
  checkArguments<NewPet>('the animal', input, newPetChecks, { ignoresOthers: true });

/** Checks an animal in a response. Ignores unknown fields, which a later version of the service may add. */
export const checkPet = (input: unknown): Pet =>
  checkArguments<Pet>('the animal', input, petChecks, { ignoresOthers: true });

export const checkId = (input: unknown): bigint =>
  checkArguments<{ readonly id: bigint }>('id', { id: input }, { id: checkInt64 }).id;

const askForApiKey = async (source: ApiKeySource): Promise<unknown> => {
  try {
    return typeof source === 'function' ? await source() : source;
  } catch (cause) {
    const expected = `a function that returns a key, not one that throws: ${String(cause)}`;
    throw invalidArgument([{ name: 'apiKey', rule: 'invalid', expected }], cause);
  }
};

/** Returns the current API key. Throws an AnimalStoreError if the key is malformed, or its function throws. */
export const readApiKey = async (source: ApiKeySource): Promise<string> => {
  const apiKey = await askForApiKey(source);
  return checkArguments<{ readonly apiKey: string }>('apiKey', { apiKey }, { apiKey: checkApiKey }).apiKey;
};
