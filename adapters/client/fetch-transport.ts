import type { Pet, PetQuery } from '../../core/pets';
import { petRules } from '../../core/rules';
import { fieldChecks, invalidFieldTexts, isInt64, isString, objectCheck } from '../../core/validation';
import { AnimalStoreError, invalidArgument, mustReachCaller, petNotFoundError } from './animal-store-error';
import { readApiKey } from './arguments';
import type { Transport } from './client';
import { toJson } from './json';
import { detailsOf, readResponse, type Success, unexpected, unexpectedResponse } from './read-response';
import type { ApiKeySource } from './options';
import type { Attempt } from './retry';
import { isFunction, propertyOf } from './values';

/** Makes the transport that sends requests by `fetch`. `address` must end with `/v1/`. */
export const fetchTransport = (address: string, apiKey: ApiKeySource | undefined): Transport => {
  const url = `${address}pets`;

  const listPets: Transport['listPets'] = async (query, attempt) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    const success = await send(`${url}?${search.toString()}`, apiKey, attempt);
    const pets = toPets(success);
    const hasMore = nextLink.test(success.response.headers.get('Link') ?? '');
    if (isOrdered(query, pets) && !(hasMore && pets.length === 0)) return { pets, hasMore };
    const problem = 'a page is empty or repeats animals; check any proxy or cache';
    throw unexpectedResponse(success.response, problem);
  };

  return {
    listPets,
    createPet: async (newPet, idempotencyKey, attempt) => {
      const headers = {
        'Content-Type': 'application/json',
        // Puts the key in double quotes, which allow every printable ASCII character (RFC 9651, section 3.3.3).
        'Idempotency-Key': `"${idempotencyKey.replace(/["\\]/g, '\\$&')}"`,
      };
      const init = { method: 'POST', headers, body: toJson(newPet) };
      const success = await send(url, apiKey, attempt, init);
      const replayed = success.response.headers.get('Idempotent-Replayed') === 'true';
      return { pet: toPet(success), replayed };
    },
    // Lists one animal after `id - 1n`, because the service removes GET /pets/{petId} on 5 December 2030.
    getPet: async (id, attempt) => {
      const after = isInt64(id - 1n) ? `&after=${id - 1n}` : '';
      const success = await send(`${url}?limit=1${after}`, apiKey, attempt);
      const [pet] = toPets(success);
      if (pet?.id === id) return pet;
      const { requestId } = detailsOf(success.response);
      throw petNotFoundError(id, { requestId });
    },
  };
};

/**
 * True if the ids of a page ascend from `after`, or descend for `desc`. Without this check, a cache that repeats a page
 * would make a list endless.
 */
const isOrdered = ({ after, order }: PetQuery, pets: ReadonlyArray<Pet>): boolean => {
  let last = after;
  return pets.every(({ id }) => {
    const follows = last === undefined || (order === 'desc' ? id < last : id > last);
    last = id;
    return follows;
  });
};

/** Matches a `Link` header whose `rel` contains `next`, even among other relations (RFC 8288, section 3.3). */
const nextLink = /;\s*rel="?(?:[^";,]*\s)?next(?![^\s";,])/i;

const toPets = ({ response, body }: Success): ReadonlyArray<Pet> => {
  if (!Array.isArray(body)) throw unexpectedResponse(response, 'the body is not an array');
  return body.map((item: unknown) => toPet({ response, body: item }));
};

/** Ignores unknown fields, which a later version of the service may add. */
const toPet = ({ response, body }: Success): Pet => {
  const checked = checkPet(body);
  if (checked._tag === 'Right') return checked.right.value;
  throw unexpectedResponse(response, invalidFieldTexts(checked.left, 'the animal').join('; '));
};

const checkPet = objectCheck<Pet>(fieldChecks(petRules));

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const send = async (
  url: string,
  apiKey: ApiKeySource | undefined,
  attempt: Attempt,
  { headers: ownHeaders, ...init }: Init = {},
): Promise<Success> => {
  const { signal, fetch = globalThis.fetch } = attempt;
  const headers = new Headers(attempt.headers);
  if (apiKey !== undefined) headers.set('Authorization', `Bearer ${await readApiKey(apiKey)}`);
  for (const [name, value] of Object.entries(ownHeaders ?? {})) headers.set(name, value);
  // Follows no redirect, because the API never redirects, and following one could turn a create into a GET.
  const request: RequestInit = { ...init, headers, signal, redirect: 'manual' };
  const response = await callFetch(fetch, url, request);
  return readResponse(response).catch((cause: unknown) => {
    throw fetchError(cause);
  });
};

const callFetch = async (fetch: unknown, url: string, request: RequestInit): Promise<Response> => {
  if (!isFunction(fetch))
    throw invalidArgument([{ name: 'fetch', rule: 'required', expected: 'a function like fetch' }]);
  try {
    const response: unknown = await fetch(url, request);
    if (isResponse(response)) return response;
  } catch (cause) {
    throw fetchError(cause, hintFor(url));
  }
  throw unexpected('fetch has returned a value that is not a Response');
};

const isResponse = (value: unknown): value is Response =>
  typeof propertyOf(value, 'status') === 'number' &&
  isFunction(propertyOf(propertyOf(value, 'headers'), 'get')) &&
  isFunction(propertyOf(value, 'text'));

/** Makes the error of a call whose `fetch` failed, or whose response was cut off. */
const fetchError = (cause: unknown, hint = ''): unknown => {
  if (mustReachCaller(cause)) return cause;
  const reason = propertyOf(cause, 'cause');
  // Includes the code, because some errors of a connection have no message.
  const texts = [propertyOf(reason, 'message'), propertyOf(reason, 'code'), propertyOf(cause, 'message')];
  const text = String(texts.find((one) => isString(one) && one !== '') ?? cause);
  // Treats a programming error and a port that `fetch` blocks as permanent, because a retry can't help. An error with a
  // cause comes from the network, and may contain a host name such as `annulled.example`, which `programmingFault`
  // matches.
  const isPermanent = text === 'bad port' || (reason === undefined && programmingFault.test(text));
  return isPermanent && /^(?:Type|Reference)Error$/.test(String(propertyOf(cause, 'name')))
    ? unexpected(`fetch failed: ${text}`, { cause })
    : new AnimalStoreError('network', `no answer: ${text}${hint}`, { cause });
};

/** Matches the message of a programming error in the caller's own `fetch`. Each engine has its own wording. */
const programmingFault = /undefined|null|is not (?:a|an|iterable|defined)\b/;

/**
 * Returns possible causes of a failed request in a browser, which hides the real cause. Returns an empty text outside
 * browsers.
 */
const hintFor = (url: string): string => {
  const origin = propertyOf(propertyOf(globalThis, 'location'), 'origin');
  if (!isString(origin)) return '';
  if (new URL(url).origin === origin) return `; is the service running, and is ${url} its address?`;
  return origin === 'null'
    ? `; is the service running, and is ${url} its address? Serve this page over HTTP, so that it has an origin that CORS_ORIGIN can allow`
    : `; is the service running, is ${url} its address, and has CORS_ORIGIN the origin ${origin}?`;
};
