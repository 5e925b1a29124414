import type { NewPet, PetQuery } from '../../core/pets';
import {
  apiKeyPattern,
  filterRules,
  idempotencyKeyPattern,
  listRules,
  newPetRules,
  pageSizeCheck,
  pageSizeFromText,
  petRules,
} from '../../core/rules';
import {
  type Check,
  type FieldRule,
  fieldChecks,
  fieldCheck,
  type FieldChecks,
  isObject,
  isString,
  type ObjectCheck,
  objectCheck,
  textCheck,
  converted,
  trimmed,
  predicateCheck,
} from '../../core/validation';
import { invalidArgument, mustReachCaller } from './animal-store-error';
import type { ApiKeySource, CallOptions, CreateOptions } from './options';
import { isFunction, propertyOf } from './values';

const isEmpty = (input: unknown): boolean => input === null || (isString(input) && input.trim() === '');

/**
 * Makes the check of a field that a caller passes. An int64 may also be a string of decimal digits. An empty text for a
 * required int64 counts as missing, because a form sends it for an empty field. Unlike the service, the check ignores
 * blanks around a value that is not free text, because a person may have typed them.
 */
const argumentCheck = (rule: FieldRule): Check => {
  const { decode, fromText, explain, required } = fieldCheck(rule);
  const check: Check = {
    decode: (input) => (isString(input) ? fromText(input) : decode(input)),
    explain: (input) =>
      rule.required && isEmpty(input) ? { ...explain(input), rule: 'required' } : explain(input),
    required,
  };
  return rule.kind === 'text' ? check : trimmed(check);
};

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

export const callOptionChecks: FieldChecks<CallOptions> = {
  signal: predicateCheck(isAbortSignal, 'an AbortSignal'),
  timeoutMs: predicateCheck((input) => typeof input === 'number' && input > 0, 'a number greater than 0'),
  retryForMs: predicateCheck((input) => typeof input === 'number' && input >= 0, 'a number of at least 0'),
  onRetry: predicateCheck(isFunction, 'a function'),
  fetch: predicateCheck(isFunction, 'a function like fetch'),
  headers: predicateCheck(isHeaders, 'headers, such as { name: value }'),
};

/**
 * Makes a function that checks named arguments, and returns those that are defined, with int64 values as bigints. It
 * throws an AnimalStoreError with the code `invalid_argument`, which names each invalid, missing or unknown argument.
 */
export const validatorOf =
  <A>(subject: string, check: ObjectCheck<A>) =>
  (input: unknown): A => {
    const checked = check(input);
    if (checked._tag === 'Right') return checked.right.value;
    throw invalidArgument(checked.left.map((field) => ({ ...field, name: field.name || subject })));
  };

/** Makes a function that checks options, and refuses unknown ones. */
export const optionsValidator = <A>(fields: FieldChecks<A>): ((options: unknown) => A) =>
  validatorOf(
    'options',
    objectCheck(fields, () => true),
  );

export const requireCallOptions = optionsValidator(callOptionChecks);

export const requireCreateOptions = optionsValidator<CreateOptions>({
  ...callOptionChecks,
  idempotencyKey: textCheck(idempotencyKeyPattern),
});

/** Checked options that select a page: filters, start, order and size. */
export type PageQuery = Omit<Partial<PetQuery>, 'limit'> & { readonly pageSize?: number | undefined };

/** Converts a bigint (from `parseJson`) or a string of digits (from a form) to a number. */
const toNumber = (input: unknown): unknown => {
  if (isString(input)) return pageSizeFromText(input) ?? input;
  return typeof input === 'bigint' ? Number(input) : input;
};

const pageQueryChecks: FieldChecks<PageQuery> = {
  ...fieldChecks(listRules, argumentCheck),
  pageSize: trimmed(converted(pageSizeCheck, toNumber)),
};

const requireKnownPageOptions = optionsValidator<CallOptions & PageQuery>({
  ...callOptionChecks,
  ...pageQueryChecks,
});

const toPageQuery = validatorOf('options', objectCheck(pageQueryChecks));

/**
 * Checks the arguments of `page` or `list`. Ignores filters that are null or an empty text. Refuses a second argument,
 * in which many other libraries take the options of the call.
 */
export const requirePageArguments = (
  options: unknown,
  others: ReadonlyArray<unknown>,
): readonly [PageQuery, CallOptions] => {
  if (others.some((other) => other !== undefined)) {
    const expected = 'left out; pass filters and options of the call in one object';
    throw invalidArgument([{ name: 'the second argument', rule: 'invalid', expected }]);
  }
  const isKept = ([name, value]: readonly [string, unknown]): boolean =>
    !(Object.hasOwn(filterRules, name) && isEmpty(value));
  const checked = requireKnownPageOptions(
    isObject(options) ? Object.fromEntries(Object.entries(options).filter(isKept)) : options,
  );
  return [toPageQuery(checked), checked];
};

/**
 * Checks an animal to add. Refuses unknown fields, whose names may be misspelt. Ignores the id, because the animal may
 * be a copy of a stored one.
 */
export const requireNewPet = validatorOf(
  'the animal',
  objectCheck<NewPet>(fieldChecks(newPetRules, argumentCheck), (name) => !Object.hasOwn(petRules, name)),
);

export const requireId = validatorOf(
  'id',
  objectCheck<{ readonly id: bigint }>({ id: argumentCheck(petRules.id) }),
);

export const int64Check: Check = predicateCheck(
  (input) => input === 'bigint' || input === 'string',
  "'bigint' or 'string'",
);

const withBearer = /^\s*bearer\s/i;

const apiKeyCheck: Check = {
  ...trimmed(textCheck(apiKeyPattern)),
  explain: (input) => ({
    rule: 'invalid',
    expected:
      isString(input) && withBearer.test(input) ? 'the key only, without Bearer' : apiKeyPattern.expected,
  }),
};

export const apiKeySourceCheck: Check = {
  ...apiKeyCheck,
  decode: (input) => (isFunction(input) ? input : apiKeyCheck.decode(input)),
};

const requireApiKey = validatorOf(
  'apiKey',
  objectCheck<{ readonly apiKey: string }>({ apiKey: { ...apiKeyCheck, required: true } }),
);

/**
 * Returns the current API key. Throws an AnimalStoreError if the key is malformed or the source function throws. Does
 * not wrap an error of the function if `mustReachCaller` accepts this error.
 */
export const readApiKey = async (source: ApiKeySource): Promise<string> => {
  const apiKey = await askForApiKey(source);
  return requireApiKey({ apiKey }).apiKey;
};

const askForApiKey = async (source: ApiKeySource): Promise<unknown> => {
  try {
    return typeof source === 'function' ? await source() : source;
  } catch (cause) {
    if (mustReachCaller(cause)) throw cause;
    const expected = `a function that returns a key, not one that throws: ${String(cause)}`;
    throw invalidArgument([{ name: 'apiKey', rule: 'invalid', expected }], cause);
  }
};
