import { apiKeyPattern } from '../../core/rules';
import { type Check, isString, objectCheck, textCheck, trimmed } from '../../core/validation';
import { invalidArgument, mustReachCaller } from './animal-store-error';
import { validatorOf } from './arguments';
import { isFunction } from './values';

/** API key, or a function that each attempt calls for the current key. */
export type ApiKeySource = string | (() => string | Promise<string>);

const withBearer = /^\s*bearer\s/i;

const apiKeyCheck: Check = {
  ...trimmed(textCheck(apiKeyPattern)),
  explain: (input) => ({
    rule: 'invalid',
    expected:
      isString(input) && withBearer.test(input) ? 'the key only, without Bearer' : apiKeyPattern.expected,
  }),
};

const requireApiKey = validatorOf(
  'apiKey',
  objectCheck<{ readonly apiKey: string }>({ apiKey: { ...apiKeyCheck, required: true } }),
);

export const apiKeySourceCheck: Check = {
  ...apiKeyCheck,
  decode: (input) => (isFunction(input) ? input : apiKeyCheck.decode(input)),
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

/**
 * Returns the current API key. Throws an AnimalStoreError if the key is malformed or the source function throws. Throws
 * an error that `mustReachCaller` accepts unchanged.
 */
export const readApiKey = async (source: ApiKeySource): Promise<string> => {
  const apiKey = await askForApiKey(source);
  return requireApiKey({ apiKey }).apiKey;
};
