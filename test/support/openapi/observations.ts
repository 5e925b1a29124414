import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import * as t from 'io-ts';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import { type PetOperation, petOperations } from '../../../adapters/http/pet-operations';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  type Authenticate,
  callerOf,
  type ConsumeQuota,
  decodeOrThrow,
  idempotencyKeyInFlight,
  openAnimalStore,
  type OperationName,
  PetCodec,
  petDeleted,
  unavailable,
} from '../../../core';
import { petRules } from '../../../core/rules';
import { servePlainly } from '../http/listen';
import { type RawAnswer, rawExchange } from '../http/raw-connection';
import { byKey, key, startServer } from '../http/start-server';
import { requestBytes, type RequestOptions } from '../service/service-under-test';
import { parameterTexts } from './samples';

/** Response of the program. `failure` is the name of the failure that the request provoked, if it did. */
export interface Observation {
  readonly operationId: string;
  readonly failure?: string;
  readonly answer: RawAnswer;
}

/** Parameter that the program takes, with the texts of it that are accepted. */
export interface ObservedParameter {
  readonly operationId: string;
  readonly name: string;
  readonly place: 'path' | 'query' | 'header';
  readonly accepted: ReadonlyArray<string>;
}

export interface Observations {
  readonly answers: ReadonlyArray<Observation>;
  readonly parameters: ReadonlyArray<ObservedParameter>;
  /** Operations that refuse a request without a body. */
  readonly needingBody: ReadonlyArray<string>;
  /** Number of animals in a page without a limit. */
  readonly defaultLimit: number;
  /** Order of the animals in a page without an order. */
  readonly defaultOrder: string;
}

const json = { 'Content-Type': 'application/json' };
export const rex = { name: 'Rex', categoryId: 7, status: 'available' };

const requestText = (method: string, target: string, options: RequestOptions = {}): string =>
  requestBytes(method, target, { key, ...options }).toString('latin1');

const create = (body: string, headers: Readonly<Record<string, string>> = {}): string =>
  requestText('POST', '/v1/pets', { headers: { ...json, ...headers }, body: Buffer.from(body, 'latin1') });

/** The only id that the program does not find. */
const missingId = 404n;

type Mode = 'works' | 'throws' | 'isUnavailable' | 'isInFlight' | 'isDeleted' | 'isExhausted' | 'isReadOnly';

/** A request and the state of the program in which it fails. */
type Provocation = Readonly<{ request: string; mode?: Mode }>;

const common = (request: string): Readonly<Record<string, Provocation>> => ({
  MalformedRequest: { request: request.replace('Host: localhost', 'Host: localhost\r\nHost: localhost') },
  MissingApiKey: { request: request.replace(/Authorization: .*\r\n/, '') },
  MalformedApiKey: { request: request.replace('Bearer ', 'Bearer Bearer ') },
  InvalidApiKey: { request: request.replace('Bearer ', 'Bearer not-') },
  RateLimited: { request, mode: 'isExhausted' },
  Defect: { request, mode: 'throws' },
  Unavailable: { request, mode: 'isUnavailable' },
});

const firstCreate = create(JSON.stringify(rex), { 'X-Request-Id': '1f0c2a4e-5d1b-4a57-9a0e-2b1f3c5d7e90' });

/** For each operation, a request that succeeds and the requests that fail. */
const provocations: Readonly<
  Record<OperationName, readonly [string, Readonly<Record<string, Provocation>>]>
> = {
  listPets: [
    requestText('GET', '/v1/pets?limit=1'),
    { InvalidQuery: { request: requestText('GET', '/v1/pets?limit=0') } },
  ],
  createPet: [
    firstCreate,
    {
      InvalidBody: { request: create('{"name":1}') },
      MalformedJson: { request: create('\xff') },
      InvalidIdempotencyKey: { request: create('{}', { 'Idempotency-Key': 'two words' }) },
      ReadOnlyApiKey: { request: firstCreate, mode: 'isReadOnly' },
      IdempotencyKeyInFlight: { request: firstCreate, mode: 'isInFlight' },
      PetDeleted: { request: firstCreate, mode: 'isDeleted' },
      PayloadTooLarge: { request: create(' '.repeat(16_001)) },
      UnsupportedMediaType: { request: create('{}', { 'Content-Type': 'text/plain' }) },
      IdempotencyKeyReused: {
        request: create('{"name":"other","categoryId":1}', { 'Idempotency-Key': 'one' }),
      },
    },
  ],
  getPet: [
    requestText('GET', '/v1/pets/1'),
    { PetNotFound: { request: requestText('GET', `/v1/pets/${missingId}`) } },
  ],
};

/** Starts the program with or without a rate limit. Returns functions that send a request to it. */
const startProgram = async (isLimited: boolean) => {
  let mode: Mode = 'works';
  const stored = inMemoryPetRepository();
  const orFailure = <F, A>(call: () => TE.TaskEither<F, A>) => {
    if (mode === 'throws') throw new Error('a defect');
    return mode === 'isUnavailable' ? TE.left(unavailable(new Error('no answer'))) : call();
  };
  const consumeQuota: ConsumeQuota = () => {
    const isWithin = mode !== 'isExhausted';
    const [remaining, resetsInSeconds] = isWithin ? [9, 60] : [0, 30];
    return TE.right({ requests: 10, seconds: 60, isWithin, remaining, resetsInSeconds });
  };
  const authenticate: Authenticate = (apiKey) =>
    pipe(
      byKey(apiKey),
      TE.map(({ keyId, ownerId }) => callerOf(keyId, ownerId, { isReadOnly: mode === 'isReadOnly' })),
    );
  const { address, stop } = await startServer({
    authenticate,
    pets: {
      list: (...args) => orFailure(() => stored.list(...args)),
      find: (id, deadline) =>
        orFailure(() =>
          id === missingId ? stored.find(id, deadline) : TE.right(decodeOrThrow(PetCodec, { id: 1, ...rex })),
        ),
      create: (...args) => {
        if (mode === 'isInFlight') return TE.left(idempotencyKeyInFlight);
        if (mode === 'isDeleted') return TE.left(petDeleted);
        return orFailure(() => stored.create(...args));
      },
    },
    ...(isLimited && { consumeQuota }),
  });
  const send = (request: string, during: Mode = 'works'): Promise<RawAnswer> => {
    mode = during;
    return rawExchange(address, request);
  };
  return { send, stop: () => stop(0, 0) };
};

type Program = Awaited<ReturnType<typeof startProgram>>;

/** Sends each operation an incomplete head, and observes the response, which comes after 10 s. */
const observeTimeouts = ({ send }: Program): Promise<ReadonlyArray<Observation>> =>
  Promise.all(
    Object.entries(provocations).map(async ([operationId, [request]]) => {
      const answer = await send(request.replace(/\r\n\r\n.*$/s, '\r\n'));
      return { operationId, failure: 'RequestTimeout', answer };
    }),
  );

const observeAnswers = async ({ send }: Program, isLimited: boolean): Promise<ReadonlyArray<Observation>> => {
  const answers: Array<Observation> = [];
  const observe = async (operationId: string, request: string, failure?: string, mode?: Mode) => {
    answers.push({
      operationId,
      ...(failure !== undefined && { failure }),
      answer: await send(request, mode),
    });
  };
  await observe('createPet', firstCreate);
  for (let count = 0; count < 2; count += 1) {
    await observe('createPet', create(JSON.stringify(rex), { 'Idempotency-Key': 'one' }));
  }
  for (const [operationId, [request, own]] of Object.entries(provocations)) {
    if (operationId !== 'createPet') await observe(operationId, request);
    for (const [failure, { request: failing, mode }] of Object.entries({ ...own, ...common(request) })) {
      if (mode !== 'isExhausted' || isLimited) await observe(operationId, failing, failure, mode);
    }
  }
  await observe('listPets', requestText('GET', '/v1/pets?limit=100&staus=sold'));
  await observe('createPet', create(JSON.stringify({ ...rex, staus: 'sold' })));
  return answers;
};

/** Observes a response of the routes in an application of a host. */
const observeMounted = async (): Promise<Observation> => {
  const app = new Koa();
  mountPetRoutes(app, openAnimalStore({ pets: inMemoryPetRepository(), authenticate: byKey }));
  const { address, close } = await servePlainly(app.callback());
  const answer = await rawExchange(address, requestText('GET', '/v1/pets'));
  await close();
  return { operationId: 'listPets', answer };
};

/** Names that the program may know as parameters of a query. */
const queryNames = [
  ...Object.keys(petRules),
  ...['limit', 'after', 'before', 'offset', 'page', 'cursor', 'order', 'sort', 'fields', 'q'],
];

type Candidate = Omit<ObservedParameter, 'accepted'> & { readonly requestWith: (text: string) => string };

/** Returns the parameters that an operation may have. `requestWith` makes a request with a text as the parameter. */
const candidatesOf = ([operationId, { method, path }]: readonly [
  string,
  PetOperation,
]): ReadonlyArray<Candidate> => {
  const [placeholder, inPath] = /:(\w+)/.exec(path) ?? [];
  const options = method === 'POST' ? { headers: json, body: JSON.stringify(rex) } : {};
  const requestTo = (target: string, headers = {}): string =>
    requestText(method, target, { ...options, headers: { ...options.headers, ...headers } });
  if (placeholder !== undefined && inPath !== undefined) {
    const requestWith = (text: string) => requestTo(path.replace(placeholder, encodeURIComponent(text)));
    return [{ operationId, name: inPath, place: 'path', requestWith }];
  }
  return [
    ...queryNames.map((name) => ({
      operationId,
      name,
      place: 'query' as const,
      requestWith: (text: string) => requestTo(`${path}?${name}=${encodeURIComponent(text)}`),
    })),
    {
      operationId,
      name: 'Idempotency-Key',
      place: 'header',
      requestWith: (text) => requestTo(path, { 'Idempotency-Key': text }),
    },
  ];
};

/** Texts that no parameter accepts. If the program accepts a request with such a text, it ignores the parameter. */
const invalidTexts = { path: 'x', query: '\0', header: 'a,b' };

const observeParameters = async ({ send }: Program): Promise<ReadonlyArray<ObservedParameter>> => {
  const isAccepted = async (request: string): Promise<boolean> => (await send(request)).status < 400;
  const observed: Array<ObservedParameter> = [];
  for (const { requestWith, ...parameter } of Object.entries(petOperations).flatMap(candidatesOf)) {
    if (await isAccepted(requestWith(invalidTexts[parameter.place]))) continue;
    const accepted: Array<string> = [];
    for (const text of parameterTexts(parameter.place))
      if (await isAccepted(requestWith(text))) accepted.push(text);
    observed.push({ ...parameter, accepted });
  }
  return observed;
};

/** Sends requests of all kinds to the program. Takes 10 s, because it waits for timeouts. */
export const observeProgram = async (): Promise<Observations> => {
  const programs = await Promise.all([startProgram(false), startProgram(true)]);
  const [unlimited, limited] = programs;
  const timeouts = observeTimeouts(unlimited);
  const answers = [await observeAnswers(unlimited, false), await observeAnswers(limited, true)].flat();
  const parameters = await observeParameters(unlimited);
  const needingBody: Array<string> = [];
  for (const [operationId, { method, path }] of Object.entries(petOperations)) {
    if (method === 'GET') continue;
    const { status } = await unlimited.send(requestText(method, path, { headers: json }));
    if (status === 400) needingBody.push(operationId);
  }
  const { body } = await unlimited.send(requestText('GET', '/v1/pets'));
  const page = decodeOrThrow(t.array(t.type({ id: t.number })), JSON.parse(body));
  const isAscending = page.every(({ id }, place) => place === 0 || id > (page[place - 1]?.id ?? id));
  answers.push(await observeMounted(), ...(await timeouts));
  await Promise.all(programs.map(({ stop }) => stop()));
  return {
    ...{ answers, parameters, needingBody },
    defaultLimit: page.length,
    defaultOrder: isAscending ? 'asc' : 'other',
  };
};
