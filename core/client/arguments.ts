import {
  apiKeyRule,
  type FieldRule,
  idempotencyKeyRule,
  newPetRules,
  pageSizeRule,
  type Rule,
} from '../rules';
import { invalidArgument } from './animal-store-error';
import type { CallOptions, CheckedPageOptions, CreateOptions } from './options';
import { type Checked, checkField, checkInt64, type NewPet } from './pet';

export type Check = (input: unknown) => Checked;

type Checks<A> = { readonly [Name in keyof A]-?: Check };

interface Expectations<A> {
  readonly checks: Checks<A>;
  readonly required?: ReadonlyArray<string>;
  /** True if other names are ignored, like unknown fields in the body of a create. */
  readonly mayHaveOthers?: boolean;
}

export const when =
  (holds: (input: unknown) => boolean, expected: string): Check =>
  (input) =>
    holds(input) ? { value: input } : { expected };

const isString = (input: unknown): input is string => typeof input === 'string';
const isNumber = (input: unknown): input is number => typeof input === 'number';
export const isFunction = (input: unknown): boolean => typeof input === 'function';

const ofRule = <A>(isType: (input: unknown) => input is A, { holds, expected }: Rule<A>): Check =>
  when((input) => isType(input) && holds(input), expected);

// Does not use `instanceof`, because the signal may come from another JavaScript realm, such as that of a test runner.
const isAbortSignal = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'aborted' in input && 'addEventListener' in input;

function fieldChecks<R>(rules: R, isIncluded?: (rule: FieldRule) => boolean): Checks<R>;
function fieldChecks(
  rules: Readonly<Record<string, FieldRule>>,
  isIncluded: (rule: FieldRule) => boolean = () => true,
): object {
  const included = Object.entries(rules).filter(([, rule]) => isIncluded(rule));
  return Object.fromEntries(
    included.map(([name, rule]) => [name, (input: unknown) => checkField(rule, input)]),
  );
}

export const callChecks: Checks<CallOptions> = {
  signal: when(isAbortSignal, 'an AbortSignal'),
  timeoutMs: when((input) => isNumber(input) && input > 0, 'a number greater than 0'),
  retryForMs: when((input) => isNumber(input) && input >= 0, 'a number of at least 0'),
  onRetry: when(isFunction, 'a function'),
  fetch: when(isFunction, 'a function like fetch'),
};

export const createChecks: Checks<CreateOptions> = {
  ...callChecks,
  idempotencyKey: ofRule(isString, idempotencyKeyRule),
};

export const pageChecks: Checks<CheckedPageOptions> = {
  ...callChecks,
  ...fieldChecks(newPetRules, ({ filter }) => filter === true),
  after: checkInt64,
  pageSize: ofRule(isNumber, pageSizeRule),
};

/** API key, or a function that returns the current key before each attempt. */
export type ApiKeySource = string | (() => string | Promise<string>);

const checkApiKey: Check = ofRule(isString, apiKeyRule);

export const checkApiKeySource: Check = (input) =>
  isFunction(input) ? { value: input } : checkApiKey(input);

/**
 * Checks named arguments, and returns them without those that are undefined. Int64 values become bigints. Throws an
 * AnimalStoreError with the code `invalid_argument` that names each argument that is invalid, missing or unknown.
 */
export const checkArguments = <A>(
  subject: string,
  input: unknown,
  { checks, required = [], mayHaveOthers = false }: Expectations<A>,
): A => {
  if (typeof input !== 'object' || input === null)
    throw invalidArgument([{ name: subject, expected: 'an object', isMissing: input === undefined }]);
  const known = Object.entries<Check>(checks);
  const values: Record<string, unknown> = {};
  const invalid: Array<{ name: string; expected: string; isMissing?: boolean }> = [];
  for (const [name, check] of known) {
    const given: unknown = Object.hasOwn(input, name) ? Reflect.get(input, name) : undefined;
    const isMissing = given === undefined;
    if (isMissing && !required.includes(name)) continue;
    const checked = check(given);
    if ('expected' in checked) invalid.push({ name, expected: checked.expected, isMissing });
    else values[name] = checked.value;
  }
  const names = known.map(([name]) => name);
  for (const name of mayHaveOthers ? [] : Object.keys(input)) {
    if (!names.includes(name))
      invalid.push({ name, expected: `left out; known names are ${names.join(', ')}` });
  }
  const areValid = (_values: unknown): _values is A => invalid.length === 0;
  if (!areValid(values)) throw invalidArgument(invalid);
  return values;
};

const newPetExpectations: Expectations<NewPet> = {
  checks: fieldChecks(newPetRules),
  required: Object.entries<FieldRule>(newPetRules).flatMap(([name, { required }]) =>
    required ? [name] : [],
  ),
  mayHaveOthers: true,
};

export const checkNewPet = (input: unknown): NewPet =>
  checkArguments('the animal', input, newPetExpectations);

export const checkId = (input: unknown): bigint =>
  checkArguments<{ readonly id: bigint }>(
    'id',
    { id: input },
    { checks: { id: checkInt64 }, required: ['id'] },
  ).id;

/** Returns the API key of an attempt. Throws an AnimalStoreError if it is not a well-formed key. */
export const readApiKey = async (source: ApiKeySource): Promise<string> => {
  const apiKey: unknown = typeof source === 'function' ? await source() : source;
  const expectations = { checks: { apiKey: checkApiKey }, required: ['apiKey'] };
  return checkArguments<{ readonly apiKey: string }>('apiKey', { apiKey }, expectations).apiKey;
};
