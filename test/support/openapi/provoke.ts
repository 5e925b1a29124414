import * as TE from 'fp-ts/TaskEither';
import { createServer, IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { CheckReadiness, HttpFailure } from '../../../adapters/http';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  type Authenticate,
  type ConsumeQuota,
  idempotencyKeyInFlight,
  type PetRepository,
  unavailable,
} from '../../../core';
import type { DocumentedRequest } from './document';
import { listenOn } from '../http/listen';
import { key, memoryApplication, startServer } from '../http/start-server';
import { headOf, type RawAnswer, rawExchange } from '../http/raw-connection';

interface Circumstances {
  readonly pets?: Partial<PetRepository>;
  readonly checkReadiness?: CheckReadiness;
  readonly consumeQuota?: ConsumeQuota;
  readonly authenticate?: Authenticate;
  /** Requests to send first, one after another. */
  readonly before?: ReadonlyArray<string>;
}

type Provoke = (request: DocumentedRequest) => Promise<RawAnswer>;

const rex = '{"name":"Rex","categoryId":7,"status":"available"}';

const createRex: DocumentedRequest = { method: 'POST', path: '/v1/pets', body: rex };

interface Changes {
  readonly authorization?: string;
  readonly type?: string;
  /** Header lines, such as `Host: a`. */
  readonly headers?: ReadonlyArray<string>;
}

const inBytes = (
  { method, path, body }: DocumentedRequest,
  { authorization = `Authorization: Bearer ${key}`, type = 'application/json', headers = [] }: Changes = {},
): string =>
  headOf(
    `${method} ${path} HTTP/1.1`,
    'Host: animals',
    authorization,
    ...(body === '' ? [] : [`Content-Type: ${type}`, `Content-Length: ${body.length}`]),
    ...headers,
    'Connection: close',
  ) + body;

const ask = async (request: string, { before = [], ...changes }: Circumstances = {}): Promise<RawAnswer> => {
  const server = await startServer(changes);
  try {
    for (const earlier of before) await rawExchange(server.address, earlier);
    return await rawExchange(server.address, request);
  } finally {
    await server.stop(0);
  }
};

/** Makes Node's own server, with short timeouts, send the 408 of this service. http-server would take 10 s. */
const askUnfinished = async (): Promise<RawAnswer> => {
  const { errorResponse } = memoryApplication();
  const server = createServer({ headersTimeout: 20, requestTimeout: 20, connectionsCheckingInterval: 10 });
  server.on('clientError', (_error, socket) => {
    const request = new IncomingMessage(new Socket());
    const { status, headers, body } = errorResponse({ _tag: 'RequestTimeout' }, request);
    const fields = Object.entries({ ...headers, 'Content-Length': body.length });
    const lines = fields.map((field) => field.join(': '));
    socket.end(headOf(`HTTP/1.1 ${status} Request Timeout`, ...lines) + body);
  });
  const { address, close } = await listenOn(server);
  try {
    return await rawExchange(address, 'GET /v1/pets HTTP/1.1\r\n');
  } finally {
    await close();
  }
};

const fail = (): never => {
  throw new Error('a defect');
};

const spentQuota: ConsumeQuota = () =>
  TE.right({ requests: 10, seconds: 60, remaining: 0, resetsInSeconds: 30, isWithin: false });

const anotherAnimal = { ...createRex, body: '{"name":"Tom","categoryId":7}' };

type Provoked = 'Success' | HttpFailure['_tag'];

/** For each kind of response, a function that makes the service give it to a request. */
export const provoke: Readonly<Record<Provoked, Provoke>> = {
  Success: (request) =>
    ask(inBytes(request), { before: request.method === 'POST' ? [] : [inBytes(createRex)] }),
  MissingApiKey: (request) => ask(inBytes(request, { authorization: 'Accept: */*' })),
  MalformedApiKey: (request) =>
    ask(inBytes(request, { authorization: `Authorization: Bearer Bearer ${key}` })),
  InvalidApiKey: (request) => ask(inBytes(request, { authorization: 'Authorization: Bearer another' })),
  InvalidQuery: (request) => ask(inBytes({ ...request, path: `${request.path}?limit=0` })),
  InvalidBody: (request) => ask(inBytes({ ...request, body: '{"name":7}' })),
  MalformedJson: (request) => ask(inBytes({ ...request, body: '"\xff"' })),
  InvalidIdempotencyKey: (request) => ask(inBytes(request, { headers: ['Idempotency-Key: two words'] })),
  MalformedRequest: (request) => ask(inBytes(request, { headers: ['Host: others'] })),
  HttpVersionNotSupported: (request) => ask(inBytes(request).replace('HTTP/1.1', 'HTTP/2.0')),
  PetNotFound: (request) => ask(inBytes(request)),
  RouteNotFound: (request) => ask(inBytes({ ...request, path: `${request.path}/elsewhere/` })),
  MethodNotAllowed: (request) => ask(inBytes({ ...request, method: 'DELETE' })),
  RequestTimeout: askUnfinished,
  IdempotencyKeyInFlight: (request) =>
    ask(inBytes(request), { pets: { create: () => TE.left(idempotencyKeyInFlight) } }),
  PayloadTooLarge: (request) => ask(inBytes({ ...request, body: ' '.repeat(16_001) })),
  UnsupportedMediaType: (request) => ask(inBytes(request, { type: 'text/plain' })),
  ExpectationFailed: (request) => ask(inBytes(request, { headers: ['Expect: the-unexpected'] })),
  IdempotencyKeyReused: (request) => {
    const headers = ['Idempotency-Key: "one"'];
    return ask(inBytes(request, { headers }), { before: [inBytes(anotherAnimal, { headers })] });
  },
  RateLimited: (request) => ask(inBytes(request), { consumeQuota: spentQuota }),
  HeadersTooLarge: (request) => ask(inBytes(request, { headers: [`Cookie: ${'c'.repeat(20_000)}`] })),
  Defect: (request) =>
    ask(inBytes(request), { pets: new Proxy(inMemoryPetRepository(), { get: () => fail }) }),
  Unavailable: (request) =>
    ask(inBytes(request), { authenticate: () => TE.left(unavailable('the database is gone')) }),
  NotReady: (request) =>
    ask(inBytes(request), {
      checkReadiness: TE.left({ _tag: 'NotReady', reason: 'the database does not answer' }),
    }),
};

/** Requests one of two animals, so that the response has a link to the next page. */
export const provokeNextPage = (): Promise<RawAnswer> =>
  ask(inBytes({ method: 'GET', path: '/v1/pets?limit=1', body: '' }), {
    before: [inBytes(createRex), inBytes(createRex)],
  });

/** Sends the ETag that the client already has, so that the response is a 304. */
export const provokeNotModified = (request: DocumentedRequest, etag: string): Promise<RawAnswer> =>
  ask(inBytes(request, { headers: [`If-None-Match: ${etag}`] }));
