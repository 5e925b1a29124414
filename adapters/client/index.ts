import { type ApiKeySource, callChecks, type Check, checkApiKeySource, checkArguments } from './arguments';
import { type AnimalStoreClient, clientOver } from './client';
import { fetchTransport } from './fetch-transport';
import type { CallOptions } from './options';

export type { NewPet, Pet, PetFilters, PetStatus } from '../../core/pets';
export { AnimalStoreError, type AnimalStoreErrorCode, type InvalidField } from './animal-store-error';
export type { ApiKeySource } from './arguments';
export type { AnimalStoreClient, Page } from './client';
export { embeddedClient, type EmbeddedClientOptions } from './embedded-client';
export { parseJson, toJson } from './json';
export type { CallOptions, CreateOptions, Int64Input, NewPetInput, PageOptions } from './options';

/** Options of a client over HTTP: the service, an API key, and defaults for the options of each call. */
export interface AnimalStoreClientOptions extends CallOptions {
  /**
   * Address of the service, `http:` or `https:`, with a path prefix if it has one. It may end with `/v1`, and has no
   * user name, password, query or fragment.
   */
  readonly baseUrl: string | URL;
  /** API key, or a function that returns the current key before each attempt, such as during a rotation. */
  readonly apiKey: ApiKeySource;
}

/** Ports that `fetch` refuses (fetch.spec.whatwg.org, section 2.9, "bad port"). */
const blockedPorts = [
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104,
  109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515,
  526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049,
  3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/** Returns what the address must be, or undefined if it is valid. Leaves out its text, which may have a password. */
const problemOf = ({ protocol, username, password, search, hash, port }: URL): string | undefined => {
  if (!['http:', 'https:'].includes(protocol)) return 'an http or https address';
  if (username !== '' || password !== '')
    return 'an address without a user name and password; pass the key as apiKey';
  if (search !== '' || hash !== '') return 'an address without a query and fragment';
  return blockedPorts.includes(Number(port || 443))
    ? `an address with a port that fetch allows, not ${port}`
    : undefined;
};

/** Checks the address of a service. The value is its text, which ends with `/v1/`. */
const checkBaseUrl: Check = (input) => {
  try {
    const url = new URL(String(input));
    const expected = problemOf(url);
    return expected === undefined ? { value: `${url.href.replace(/(\/v1)?\/*$/, '')}/v1/` } : { expected };
  } catch {
    return { expected: 'an absolute URL, such as http://127.0.0.1:3000' };
  }
};

/**
 * Makes the client of a store over HTTP, for programs that use a remote store. Sends nothing before the first call.
 * Throws an AnimalStoreError with the code `invalid_argument` if an option is invalid.
 */
export const animalStoreClient = (options: AnimalStoreClientOptions): AnimalStoreClient => {
  const { baseUrl, apiKey, ...callOptions } = checkArguments<AnimalStoreClientOptions>('options', options, {
    ...callChecks,
    baseUrl: checkBaseUrl,
    apiKey: checkApiKeySource,
  });
  return clientOver(fetchTransport(String(baseUrl), apiKey), callOptions);
};
