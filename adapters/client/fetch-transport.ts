import type { Pet } from '../../core/pets';
import { maxPageSize, newPetRules } from '../../core/rules';
import {
  AnimalStoreError,
  invalidArgument,
  isPassedOn,
  petNotFoundError,
  serviceStatuses,
} from './animal-store-error';
import { type ApiKeySource, checkPet, isFunction, propertyOf, readApiKey } from './arguments';
import type { Transport } from './client';
import { parseJson, toJson } from './json';
import type { Attempt } from './retry';

interface Success {
  readonly response: Response;
  readonly body: unknown;
}

/**
 * Maximum size of a response, so that an endless response fails. It is 1 MB more than a page of the longest names, with
 * each character escaped in 12 bytes.
 */
const maxResponseBytes = maxPageSize * (12 * newPetRules.name.maxLength + 200) + 1_000_000;

const shownLength = 200;

const isServiceCode = (code: unknown): code is keyof typeof serviceStatuses =>
  typeof code === 'string' && Object.hasOwn(serviceStatuses, code);

/** Returns the pause that a valid `Retry-After` asks for (RFC 9110, section 10.2.3), or undefined. */
const retryAfterMsOf = (headers: Headers): number | undefined => {
  const text = headers.get('Retry-After') ?? '';
  const seconds = /^\s*(\d+(?:\.\d+)?)/.exec(text)?.[1];
  if (seconds !== undefined) return Math.ceil(Number(seconds) * 1_000);
  const milliseconds = /^\s*[a-z]/i.test(text) ? Date.parse(text) - Date.now() : NaN;
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
};

const detailsOf = ({ status, headers }: Response) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? undefined,
  retryAfterMs: retryAfterMsOf(headers),
});

const unexpected = (message: string, details = {}): AnimalStoreError =>
  new AnimalStoreError('unexpected_response', message, details);

const unexpectedResponse = (response: Response, text: string): AnimalStoreError => {
  const { status, ...details } = detailsOf(response);
  const target = status >= 300 && status < 400 ? response.headers.get('Location') : null;
  const content = target === null ? text : `a redirect to ${target}; check baseUrl`;
  const message = `unexpected response with status ${status}: ${content.slice(0, shownLength)}`;
  return unexpected(message, { ...details, status: status < 400 ? undefined : status });
};

const parseBody = (response: Response, text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    throw unexpectedResponse(response, text);
  }
};

const failureOf = (response: Response, body: unknown, text: string): AnimalStoreError => {
  const code = propertyOf(body, 'code');
  const message = propertyOf(body, 'message');
  if (!isServiceCode(code) || typeof message !== 'string') return unexpectedResponse(response, text);
  return new AnimalStoreError(code, message, detailsOf(response));
};

/**
 * Matches the message of an error that a retry can't resolve: a programming error in the caller's own `fetch`, or a
 * port that `fetch` blocks. Each JavaScript engine words programming errors in its own way.
 */
const mistake = /undefined|null|is not (?:a|an|iterable|defined)\b|bad port/;

/** Makes the error of a call whose `fetch` failed, or whose response was cut off. */
const fetchError = (cause: unknown, hint = ''): unknown => {
  if (isPassedOn(cause)) return cause;
  const reason = propertyOf(cause, 'cause');
  // Some errors of a connection have no message, only a code.
  const texts = [propertyOf(reason, 'message'), propertyOf(reason, 'code'), propertyOf(cause, 'message')];
  const text = String(texts.find((one) => typeof one === 'string' && one !== '') ?? cause);
  return /^(?:Type|Reference)Error$/.test(String(propertyOf(cause, 'name'))) && mistake.test(text)
    ? unexpected(`fetch failed: ${text}`, { cause })
    : new AnimalStoreError('network', `no answer: ${text}${hint}`, { cause });
};

/** Returns possible causes of a failed request in a browser, which hides the real cause. Elsewhere, returns no text. */
const hintFor = (url: string): string => {
  const origin = propertyOf(propertyOf(globalThis, 'location'), 'origin');
  if (typeof origin !== 'string') return '';
  if (new URL(url).origin === origin) return `; is the service running, and is ${url} its address?`;
  return origin === 'null'
    ? `; is the service running, and is ${url} its address? Serve this page over HTTP, so that it has an origin that CORS_ORIGIN can allow`
    : `; is the service running, is ${url} its address, and has CORS_ORIGIN the origin ${origin}?`;
};

const isResponse = (value: unknown): value is Response =>
  typeof propertyOf(value, 'status') === 'number' &&
  isFunction(propertyOf(propertyOf(value, 'headers'), 'get')) &&
  isFunction(propertyOf(value, 'text'));

const readText = async (response: Response): Promise<string> => {
  // Some responses have no stream: those without content, and those of some polyfills of fetch.
  const isStream = isFunction(propertyOf(response.body, 'getReader'));
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = isStream
    ? response.body?.getReader()
    : undefined;
  if (reader === undefined) {
    const whole: unknown = await response.text();
    return String(whole);
  }
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > maxResponseBytes) {
      await reader.cancel();
      throw unexpectedResponse(response, `the body has more than ${maxResponseBytes} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
};

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

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

const send = async (
  url: string,
  apiKey: ApiKeySource | undefined,
  attempt: Attempt,
  { headers: own, ...init }: Init = {},
): Promise<Success> => {
  const { signal, fetch = globalThis.fetch } = attempt;
  const headers = new Headers(attempt.headers);
  if (apiKey !== undefined) headers.set('Authorization', `Bearer ${await readApiKey(apiKey)}`);
  for (const [name, value] of Object.entries(own ?? {})) headers.set(name, value);
  // The API never redirects. Following a redirect could turn a create into a GET.
  const request: RequestInit = { ...init, headers, signal, redirect: 'manual' };
  const response = await callFetch(fetch, url, request);
  const text = await readText(response).catch((cause: unknown) => {
    throw fetchError(cause);
  });
  const body = parseBody(response, text);
  if (!response.ok) throw failureOf(response, body, text);
  return { response, body };
};

const toPet = ({ response, body }: Success): Pet => {
  try {
    return checkPet(body);
  } catch (error) {
    throw unexpectedResponse(response, String(propertyOf(error, 'message')));
  }
};

const toPets = ({ response, body }: Success): ReadonlyArray<Pet> => {
  if (!Array.isArray(body)) throw unexpectedResponse(response, 'the body is not an array');
  return body.map((item: unknown) => toPet({ response, body: item }));
};

/** Matches a `Link` header whose `rel` contains `next`, also among other relations (RFC 8288, section 3.3). */
const nextLink = /;\s*rel="?(?:[^";,]*\s)?next(?![^\s";,])/i;

/** Makes the transport that sends requests by `fetch`. `address` must end with `/v1/`. */
export const fetchTransport = (address: string, apiKey: ApiKeySource | undefined): Transport => {
  const url = `${address}pets`;

  const listPets: Transport['listPets'] = async (query, attempt) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    const success = await send(`${url}?${search.toString()}`, apiKey, attempt);
    const pets = toPets(success);
    const hasMore = nextLink.test(success.response.headers.get('Link') ?? '');
    // The ids must ascend, or descend for `desc`, from page to page. Otherwise a cache that repeats a page would make a
    // list endless.
    const follows = (id: bigint, other: bigint) => (query.order === 'desc' ? id < other : id > other);
    const places = [...(query.after === undefined ? [] : [query.after]), ...pets.map(({ id }) => id)];
    const isOrdered = places.every((id, index) => index === 0 || follows(id, places[index - 1] ?? id));
    if (isOrdered && !(hasMore && pets.length === 0)) return { pets, hasMore };
    const problem = 'a page is empty or repeats animals; check any proxy or cache';
    throw unexpectedResponse(success.response, problem);
  };

  return {
    listPets,
    createPet: async (newPet, idempotencyKey, attempt) => {
      const headers = {
        'Content-Type': 'application/json',
        // Double quotes allow every printable ASCII character (RFC 8941, section 3.3.3).
        'Idempotency-Key': `"${idempotencyKey.replace(/["\\]/g, '\\$&')}"`,
      };
      const init = { method: 'POST', headers, body: toJson(newPet) };
      const success = await send(url, apiKey, attempt, init);
      const replayed = success.response.headers.get('Idempotent-Replayed') === 'true';
      return { pet: toPet(success), replayed };
    },
    // Lists one animal after `id - 1n`, because the service removes GET /pets/{petId} on 5 December 2030.
    getPet: async (id, attempt) => {
      const isSmallest = BigInt.asIntN(64, id - 1n) > id;
      const success = await send(`${url}?limit=1${isSmallest ? '' : `&after=${id - 1n}`}`, apiKey, attempt);
      const [pet] = toPets(success);
      if (pet?.id === id) return pet;
      const { requestId } = detailsOf(success.response);
      throw petNotFoundError(id, { requestId });
    },
  };
};
