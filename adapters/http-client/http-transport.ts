import {
  AnimalStoreError,
  ApiKey,
  type Attempt,
  type NewPet,
  Pet,
  PetId,
  type PetQuery,
  serviceErrorCodes,
  type Transport,
  type TransportPage,
} from '../../core';

// Matches JSON strings and numbers. Strings come first, so that digits inside a string are not taken for a number. An
// unclosed string matches up to the end of the text, so that matching takes linear time.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"?|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

const mark = '\0';

/**
 * Parses JSON text as `JSON.parse` does, but each integer as a bigint. In Node 20, a reviver does not get the source
 * text. Each integer is therefore first turned into a string that starts with U+0000, which the service's strings never
 * contain. lossless-json would add 2 kB to a browser bundle.
 */
export const parseExactJson = (text: string): unknown => {
  const marked = text.replace(tokens, (token) => (/^-?\d+$/.test(token) ? `"\\u0000${token}"` : token));
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(1)) : value,
  );
};

export const writeExactJson = (fields: object): string =>
  `{${Object.entries(fields)
    .map(
      ([name, value]: [string, unknown]) =>
        `${JSON.stringify(name)}:${typeof value === 'bigint' ? String(value) : JSON.stringify(value)}`,
    )
    .join()}}`;

export interface RemoteStore {
  /** Address of the service, including a path prefix if it has one. It may end with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly fetch?: typeof globalThis.fetch;
}

interface Success {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const isServiceCode = (code: unknown): code is (typeof serviceErrorCodes)[number] =>
  serviceErrorCodes.some((one) => one === code);

const shownLength = 200;

const retryAfterMsOf = (headers: Headers): number | undefined => {
  const text = headers.get('Retry-After');
  if (text === null) return undefined;
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
};

type Head = Pick<Success, 'status' | 'headers'>;

const detailsOf = ({ status, headers }: Head) => ({
  status,
  requestId: headers.get('X-Request-Id') ?? undefined,
  retryAfterMs: retryAfterMsOf(headers),
});

const unexpectedResponse = (response: Head, text: string): AnimalStoreError =>
  new AnimalStoreError(
    'unexpected_response',
    `unexpected response with status ${response.status}: ${text.slice(0, shownLength)}`,
    detailsOf(response),
  );

const parseOrUndefined = (text: string): unknown => {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
};

const failureOf = (response: Response, body: unknown, text: string): AnimalStoreError =>
  body instanceof Object &&
  'code' in body &&
  'message' in body &&
  isServiceCode(body.code) &&
  typeof body.message === 'string'
    ? new AnimalStoreError(body.code, body.message, detailsOf(response))
    : unexpectedResponse(response, text);

const networkError = (cause: unknown): AnimalStoreError => {
  const reason: unknown = cause instanceof Error ? (cause.cause ?? cause) : cause;
  const text = reason instanceof Error ? reason.message : String(reason);
  return new AnimalStoreError('network', `no answer: ${text}`, { cause });
};

const urlOf = ({ baseUrl }: RemoteStore, path: string): URL => {
  if (!URL.canParse(baseUrl)) throw new TypeError(`invalid baseUrl: ${baseUrl}; it must be an absolute URL`);
  return new URL(path, `${baseUrl.replace(/(\/v1)?\/*$/, '')}/v1/`);
};

const send = async (
  { apiKey, fetch = globalThis.fetch }: RemoteStore,
  url: URL,
  { signal }: Attempt,
  create?: { readonly idempotencyKey: string; readonly newPet: NewPet },
): Promise<Success> => {
  if (!ApiKey.is(apiKey)) {
    throw new AnimalStoreError(
      'unauthorized',
      'invalid apiKey: use letters, digits and -._~+/ with = at the end only',
    );
  }
  const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}` };
  // The API never redirects. Following a redirect could turn a create into a GET.
  const init: RequestInit = { headers, signal, redirect: 'manual' };
  if (create !== undefined) {
    headers['Content-Type'] = 'application/json';
    // Send the idempotency key in double quotes, where every printable ASCII character is allowed (RFC 8941, section
    // 3.3.3).
    headers['Idempotency-Key'] = `"${create.idempotencyKey.replace(/["\\]/g, '\\$&')}"`;
    init.method = 'POST';
    init.body = writeExactJson(create.newPet);
  }
  const [response, text] = await fetch(url.href, init)
    .then(async (received) => [received, await received.text()] as const)
    .catch((cause: unknown) => {
      throw networkError(cause);
    });
  const body = parseOrUndefined(text);
  if (!response.ok) throw failureOf(response, body, text);
  if (body === undefined) throw unexpectedResponse(response, text);
  return { url, status: response.status, headers: response.headers, body };
};

const toPet = (response: Success, value: unknown): Pet => {
  const decoded = Pet.decode(value);
  if (decoded._tag === 'Left') throw unexpectedResponse(response, 'the body is not a Pet');
  return decoded.right;
};

const toPets = (response: Success): ReadonlyArray<Pet> => {
  if (!Array.isArray(response.body)) throw unexpectedResponse(response, 'the body is not an array');
  return response.body.map((value: unknown) => toPet(response, value));
};

// Matches a link whose `rel` is or includes `next` (RFC 8288, section 3). A link ends at a comma. Before the match,
// `nextOf` removes all quotes. Inside quoted strings, it also removes the characters that separate links and
// parameters.
const nextLink = /<([^<>]*)>[^,<]*;\s*rel\s*=(?:[^;,]*\s)?next(?![^\s;,])/i;

/**
 * Returns the address of the next page (RFC 8288). Rejects an address on another origin, because that server would
 * receive the API key.
 */
const nextOf = (response: Success): URL | undefined => {
  const link = response.headers.get('Link')?.replace(tokens, (token) => token.replace(/[",;<]/g, ' '));
  const target = nextLink.exec(link ?? '')?.[1];
  if (target === undefined) return undefined;
  const { href, origin } = response.url;
  const next = URL.canParse(target, href) ? new URL(target, href) : undefined;
  if (next?.origin !== origin) {
    throw unexpectedResponse(
      response,
      `its Link header must point to ${origin}, but points to ${target}; check whether a proxy rewrites it`,
    );
  }
  return next;
};

const searchOf = (query: PetQuery): URLSearchParams => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search;
};

/**
 * Makes the transport that sends requests over `fetch`. index.ts and http-animal-store.ts build their clients on it.
 */
export const httpTransport = (store: RemoteStore): Transport => {
  const readPage = async (url: URL, attempt: Attempt, after?: PetId): Promise<TransportPage> => {
    const response = await send(store, url, attempt);
    const pets = toPets(response);
    const next = nextOf(response);
    const [first, last] = [pets.at(0), pets.at(-1)];
    // Ids ascend from page to page. Without this check, a cache that repeats a page would make the client read pages
    // endlessly.
    const repeats = after !== undefined && first !== undefined && first.id <= after;
    if (repeats || (next !== undefined && last === undefined)) {
      throw unexpectedResponse(response, 'a page is empty or repeats animals; check any proxy or cache');
    }
    return {
      pets,
      next: next === undefined ? undefined : (nextAttempt) => readPage(next, nextAttempt, last?.id),
    };
  };

  return {
    list: async (query, attempt) => readPage(urlOf(store, `pets?${searchOf(query).toString()}`), attempt),
    create: async (newPet, idempotencyKey, attempt) => {
      const response = await send(store, urlOf(store, 'pets'), attempt, { idempotencyKey, newPet });
      const replayed = response.headers.get('Idempotent-Replayed') === 'true';
      return { pet: toPet(response, response.body), replayed };
    },
    // The service removes GET /pets/{petId} on 5 December 2030. Lists one animal after the previous id instead.
    find: async (id, attempt) => {
      const before = PetId.decode(id - 1n);
      const after = before._tag === 'Right' ? `&after=${before.right}` : '';
      const response = await send(store, urlOf(store, `pets?limit=1${after}`), attempt);
      const [pet] = toPets(response);
      if (pet?.id === id) return pet;
      const { requestId } = detailsOf(response);
      throw new AnimalStoreError('pet_not_found', 'pet not found', { requestId });
    },
  };
};
