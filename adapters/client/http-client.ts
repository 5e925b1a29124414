import { type Check, isString } from '../../core/validation';
import { apiKeySourceCheck, callOptionChecks, int64Check, optionsValidator } from './arguments';
import { clientFactory } from './client';
import { fetchTransport } from './fetch-transport';
import type { ApiKeySource, CallOptions, ClientOptions } from './options';
import { propertyOf } from './values';

/** Options of a client over HTTP: the service, an API key, and defaults for the options of each call. */
export interface AnimalStoreClientOptions extends CallOptions, ClientOptions {
  /**
   * HTTP or HTTPS address of the service, with its path prefix, if any. In a web page, the address may be relative to
   * the page. It may end with `/v1`, and must have no user name, password, query or fragment.
   */
  readonly baseUrl: string | URL;
  /**
   * API key, or a function that each attempt calls for the current key, such as during a rotation. Leave it out if a
   * proxy adds the key.
   */
  readonly apiKey?: ApiKeySource | undefined;
}

/**
 * Makes the client of a store over HTTP, for programs that use a remote store. The first call checks the options. If an
 * option is invalid, calls reject with the code `invalid_argument`.
 * @example const animals = animalStoreClient({ baseUrl: 'http://127.0.0.1:3000', apiKey });
 */
export const animalStoreClient = /* @__PURE__ */ clientFactory((options: AnimalStoreClientOptions) => {
  const { baseUrl, apiKey, ...callOptions } = requireOptions(options);
  return { transport: fetchTransport(String(baseUrl), apiKey), callOptions };
});

/** Check of the service's address. Returns it with `/v1/` at its end. Errors never show a password in the address. */
const baseUrlCheck: Check = {
  decode: (input) => {
    const url = readBaseUrl(input);
    return isString(url) ? undefined : `${url.href.replace(/(\/v1)?\/*$/, '')}/v1/`;
  },
  explain: (input) => ({ rule: 'invalid', expected: String(readBaseUrl(input)) }),
  required: true,
};

const requireOptions = /* @__PURE__ */ optionsValidator<AnimalStoreClientOptions>({
  ...callOptionChecks,
  baseUrl: baseUrlCheck,
  apiKey: apiKeySourceCheck,
  int64: int64Check,
});

/** Returns the address of the service, or a text that describes a valid address. */
const readBaseUrl = (input: unknown): URL | string => {
  const address = isString(input) ? input : propertyOf(input, 'href');
  if (!isString(address)) return 'the address of the service';
  try {
    const url = new URL(address, pageAddress());
    return problemOf(url) ?? url;
  } catch {
    return 'an absolute URL, such as http://127.0.0.1:3000';
  }
};

const pageAddress = (): string | undefined => {
  const address = propertyOf(propertyOf(globalThis, 'location'), 'href');
  return isString(address) ? address : undefined;
};

/** Returns what the address must be, or undefined if it is valid. */
const problemOf = ({ protocol, username, password, href }: URL): string | undefined => {
  if (!/^https?:$/.test(protocol)) return 'an http or https address';
  if (username + password !== '')
    return 'an address without a user name and password; pass the key as apiKey';
  // Searches `href`, because `search` and `hash` are empty if nothing follows the `?` or `#`.
  return /[?#]/.test(href) ? 'an address without a query and fragment' : undefined;
};
