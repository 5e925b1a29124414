import type { Pet } from '../../core/pets';
import { maxPageSize, newPetRules } from '../../core/rules';
import { AnimalStoreError, type InvalidField, serviceStatuses } from './animal-store-error';
import { type ApiKeySource, checkPet, readApiKey } from './arguments';
import type { Transport } from './client';
import { parseJson, toJson } from './json';
import type { Attempt } from './retry';

interface Success {
  readonly response: Response;
  readonly body: unknown;
}

/**
 * Maximum number of bytes of a response: 1 MB more than a page of the longest names, each character escaped in 12 bytes.
 * Without it, an endless response would fill the memory.
 */
const maxResponseBytes = maxPageSize * (12 * newPetRules.name.maxLength + 200) + 1_000_000;

const shownLength = 200;

const isServiceCode = (code: unknown): code is keyof typeof serviceStatuses =>
  typeof code === 'string' && Object.hasOwn(serviceStatuses, code);

/** Returns the pause that `Retry-After` asks for (RFC 9110, section 10.2.3), or undefined if the text has no time. */
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

const unexpectedResponse = (response: Response, text: string): AnimalStoreError => {
  const { status, ...details } = detailsOf(response);
  const message = `unexpected response with status ${status}: ${text.slice(0, shownLength)}`;
  return new AnimalStoreError('unexpected_response', message, {
    ...details,
    status: status < 400 ? undefined : status,
  });
};

const parseBody = (response: Response, text: string): unknown => {
  try {
    return parseJson(text);
  } catch {
    throw unexpectedResponse(response, text);
  }
};

/** Query parameters whose names differ from those of the options of the client. */
const optionNames: Readonly<Record<string, string>> = { limit: 'pageSize' };

/** Reads the invalid fields from the message of a 400, whose parts are `NAME must be EXPECTED` or `NAME is required`. */
const fieldsIn = (message: string): ReadonlyArray<InvalidField> =>
  message.split('; ').flatMap((part) => {
    const [, name = '', expected = 'a value'] = /^(\w+) (?:must be (.+)|is required)$/s.exec(part) ?? [];
    return name === '' ? [] : [{ name: optionNames[name] ?? name, expected }];
  });

/** Returns a property of a value. An error may come from another JavaScript realm, where `instanceof Error` is false. */
const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const failureOf = (response: Response, body: unknown, text: string): AnimalStoreError => {
  const code = propertyOf(body, 'code');
  const message = propertyOf(body, 'message');
  if (!isServiceCode(code) || typeof message !== 'string') return unexpectedResponse(response, text);
  const fields = response.status === 400 ? fieldsIn(message) : [];
  return new AnimalStoreError(code, message, { ...detailsOf(response), fields });
};

const networkError = (cause: unknown): AnimalStoreError => {
  const reason = propertyOf(cause, 'cause');
  // Some errors of a connection have no message, only a code.
  const texts = [propertyOf(reason, 'message'), propertyOf(reason, 'code'), propertyOf(cause, 'message')];
  const text = texts.find((one) => typeof one === 'string' && one !== '');
  return new AnimalStoreError('network', `no answer: ${String(text ?? cause)}`, { cause });
};

const readText = async (response: Response): Promise<string> => {
  // A response without content, and a polyfill of fetch, have no stream of the body.
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = response.body?.getReader();
  if (reader === undefined) return response.text();
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

const send = async (
  url: string,
  apiKey: ApiKeySource,
  { signal, fetch = globalThis.fetch }: Attempt,
  init: Init = {},
): Promise<Success> => {
  const headers = { ...init.headers, Authorization: `Bearer ${await readApiKey(apiKey)}` };
  // The API never redirects. Following a redirect could turn a create into a GET.
  const request: RequestInit = { ...init, headers, signal, redirect: 'manual' };
  const [response, text] = await fetch(url, request)
    .then(async (received) => [received, await readText(received)] as const)
    .catch((cause: unknown) => {
      throw cause instanceof AnimalStoreError ? cause : networkError(cause);
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

/** Finds the relation `next`, also among several (RFC 8288, section 3.3). */
const nextLink = /;\s*rel="?(?:[^";,]*\s)?next(?![^\s";,])/i;

/** Makes the transport that sends requests over `fetch`. The address ends with `/v1/`. */
export const fetchTransport = (address: string, apiKey: ApiKeySource): Transport => {
  const url = `${address}pets`;

  const listPets: Transport['listPets'] = async (query, attempt) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) search.set(name, String(value));
    const success = await send(`${url}?${search.toString()}`, apiKey, attempt);
    const pets = toPets(success);
    const hasMore = nextLink.test(success.response.headers.get('Link') ?? '');
    // Ids ascend from page to page. Without this check, a cache that repeats a page would make a walk endless.
    const ascends = pets.every(({ id }, index) => id > (pets[index - 1]?.id ?? query.after ?? id - 1n));
    if (ascends && !(hasMore && pets.length === 0)) return { pets, hasMore };
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
    // The service removes GET /pets/{petId} on 5 December 2030. Lists one animal after the previous id instead.
    getPet: async (id, attempt) => {
      const isSmallest = BigInt.asIntN(64, id - 1n) > id;
      const success = await send(`${url}?limit=1${isSmallest ? '' : `&after=${id - 1n}`}`, apiKey, attempt);
      const [pet] = toPets(success);
      if (pet?.id === id) return pet;
      const { requestId } = detailsOf(success.response);
      throw new AnimalStoreError('pet_not_found', `pet not found: no animal has the id ${id}`, { requestId });
    },
  };
};
