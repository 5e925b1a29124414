import {
  Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
} from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

/** Response. `text` lacks the line break at the end of the body. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly milliseconds: number;
}

export interface Call {
  readonly method?: 'GET' | 'POST';
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Agent whose connections the request uses. By default, all calls share one agent. */
  readonly agent?: Agent;
}

const shared = new Agent({ keepAlive: true });

const answerTo = (sent: ClientRequest): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    sent.once('error', reject);
    sent.once('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      text(response).then((body) => {
        resolve({ status, headers, text: body.replace(/\n$/, ''), milliseconds: performance.now() - began });
      }, reject);
    });
  });

const headersOf = ({ key, headers, body }: Call): OutgoingHttpHeaders => ({
  ...(key !== undefined && { Authorization: `Bearer ${key}` }),
  ...(body !== undefined && {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
  }),
  ...headers,
});

/** Sends one request on a keep-alive connection. Rejects if the connection ends without a response. */
export const call = (url: string, options: Call = {}): Promise<Answer> => {
  const { method = 'GET', agent = shared, body } = options;
  const sent = request(url, { agent, method, headers: headersOf(options) });
  const answer = answerTo(sent);
  sent.end(body);
  return answer;
};

/** Create whose body has been sent only in part, so that the service cannot respond yet. */
export interface HeldCreate {
  readonly sendRest: () => void;
  readonly answer: Promise<Answer>;
}

export const keepAliveAgent = (): Agent => new Agent({ keepAlive: true });

/**
 * Sends the head and half of the body of a create. Resolves after the service's 100 (Continue), which shows that the
 * service has received the head.
 */
export const holdCreate = async (
  { address, key }: Caller,
  json: string,
  agent: Agent,
): Promise<HeldCreate> => {
  const half = Math.floor(json.length / 2);
  const headers = { ...headersOf({ key, body: json }), Expect: '100-continue' };
  const sent = request(`${address}/v1/pets`, { agent, method: 'POST', headers });
  const answer = answerTo(sent);
  answer.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    sent.once('continue', resolve);
    sent.once('error', reject);
    sent.flushHeaders();
  });
  sent.write(json.slice(0, half));
  return {
    answer,
    sendRest: () => {
      sent.end(json.slice(half));
    },
  };
};

/** Response whose body stays text, because JSON.parse would round large ids. */
export interface Answered {
  readonly status: number;
  readonly text: string;
}

interface Caller {
  readonly address: string;
  readonly key: string;
}

const answered = async (answer: Promise<Answer>): Promise<Answered> => {
  const { status, text } = await answer;
  return { status, text };
};

/** Adds an animal. `json` is the body of the request. */
export const createPet = ({ address, key }: Caller, json: string): Promise<Answered> =>
  answered(call(`${address}/v1/pets`, { method: 'POST', key, body: json }));

export const listPets = ({ address, key }: Caller, query = ''): Promise<Answered> =>
  answered(call(`${address}/v1/pets${query}`, { key }));

/** Returns the JSON text of each animal, by ascending id, from all pages. */
export const allPets = async (caller: Caller): Promise<ReadonlyArray<string>> => {
  const pets: Array<string> = [];
  let after = '0';
  for (;;) {
    const { text } = await listPets(caller, `?limit=100&after=${after}`);
    const page = text.slice(1, -1).match(/\{[^{}]*\}/g) ?? [];
    const last = page.at(-1);
    if (last === undefined) return pets;
    pets.push(...page);
    after = idOf(last);
  }
};

export const idOf = (pet: string): string => {
  const id = /"id":(-?\d+)/.exec(pet)?.[1];
  if (id === undefined) throw new Error(`no id in ${pet}`);
  return id;
};

export const isRefused = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => {
      resolve(true);
    });
  });

export const owner = 'owner-key';
export const stranger = 'stranger-key';

/** Settings of a service that accepts the API keys `owner` and `stranger`. */
export const environmentOf = (databaseUrl: string) => ({
  DATABASE_URL: databaseUrl,
  API_KEYS: `${owner},${stranger}`,
  LOG_LEVEL: 'silent',
});

export const newPet = (name: string): string => `{"name":"${name}","categoryId":9007199254740993}`;

/** Creates an animal with an idempotency key. */
export const createUnder = (
  address: string,
  idempotencyKey: string,
  body: string,
  key: string = owner,
): Promise<Answer> =>
  call(`${address}/v1/pets`, {
    method: 'POST',
    key,
    headers: { 'Idempotency-Key': `"${idempotencyKey}"` },
    body,
  });

export const isReplay = ({ headers }: Answer): boolean => headers['idempotent-replayed'] === 'true';

/** Returns a function that sends each request to the next of several addresses, as a load balancer does. */
export const roundRobin = (addresses: ReadonlyArray<string>) => {
  let turn = 0;
  return (path: string, options: Call): Promise<Answer> => {
    const address = addresses[turn % addresses.length];
    turn += 1;
    if (address === undefined) throw new Error('there is no address');
    return call(`${address}${path}`, options);
  };
};

/** Returns the target in a `Link` header with `rel="next"` (RFC 8288), or undefined without such a header. */
export const parseNextLink = (link: string | undefined): string | undefined => {
  if (link === undefined) return undefined;
  const [, address] = /^<([^<>\s]*)>; rel="next"$/.exec(link) ?? [];
  if (address === undefined) throw new Error(`no Link to a next page: ${link}`);
  const { pathname, search } = new URL(address, 'http://localhost/v1/pets');
  return `${pathname}${search}`;
};
