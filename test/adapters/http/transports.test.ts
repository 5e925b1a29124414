import { expect } from 'chai';
import { type IncomingMessage, request } from 'node:http';
import * as TE from 'fp-ts/TaskEither';
import Koa from 'koa';
import { mountPetRoutes } from '../../../adapters/http';
import { petRoutesHandler } from '../../../adapters/http/fetch';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import {
  type Authenticate,
  callerOf,
  decodeOrThrow,
  idempotencyKeyInFlight,
  KeyId,
  storeOpener,
  OwnerId,
  petDeleted,
  type PetRepository,
  type Ports,
  unavailable,
} from '../../../core';
import { servePlainly } from '../../support/http/listen';
import { byKey, key, startServer } from '../../support/http/start-server';

type Call = (path: string, init: RequestInit) => Promise<Response>;

/** Each way in which the operations are served: the service, a Koa application, and a fetch handler. */
const transports: Readonly<
  Record<string, (ports: () => Ports) => Promise<readonly [Call, stop: () => Promise<void>]>>
> = {
  'the service': async (ports) => {
    const { address, stop } = await startServer(ports());
    return [(path, init) => fetch(address + path, init), () => stop(0, 0)];
  },
  'a Koa application': async (ports) => {
    const app = new Koa();
    app.on('error', () => undefined);
    mountPetRoutes(app, storeOpener(ports()));
    const { address, close } = await servePlainly(app.callback());
    return [(path, init) => fetch(address + path, init), close];
  },
  'a fetch handler': (ports) => {
    const handle = petRoutesHandler({ openStore: storeOpener(ports()), onError: () => undefined });
    const call: Call = (path, init) => handle(new Request(`http://store${path}`, init));
    return Promise.resolve([call, () => Promise.resolve()]);
  },
};

const headers = { Authorization: `Bearer ${key}`, 'X-Request-Id': 'the-same' };
const rex = '{"name":"Rex","categoryId":9007199254740993}';
const post = (body: string | Uint8Array, more = {}): RequestInit => ({
  method: 'POST',
  headers: { ...headers, 'Content-Type': 'application/json', ...more },
  body,
});
const keyed = { 'Idempotency-Key': 'one' };

const requests: ReadonlyArray<readonly [path: string, init: RequestInit]> = [
  ['/v1/pets', post(rex)],
  ['/v1/pets', post(rex, keyed)],
  ['/v1/pets', post(rex, keyed)],
  ['/v1/pets', post('{"name":"Tom","categoryId":1}', keyed)],
  ['/v1/pets', post('{"name":"Tom","categoryId":1,"colour":"red"}')],
  ['/v1/pets', post('{"name":1}')],
  ['/v1/pets', post('')],
  ['/v1/pets', post(Buffer.of(0xff))],
  ['/v1/pets', post(Buffer.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))],
  ['/v1/pets', post(rex + ' '.repeat(16_000 - rex.length))],
  ['/v1/pets', post(rex + ' '.repeat(16_001 - rex.length))],
  ['/v1/pets', post(rex, { 'Content-Type': 'text/plain' })],
  ['/v1/pets', post('', { 'Content-Type': 'text/plain' })],
  ['/v1/pets', post('x'.repeat(20_000), { 'Content-Type': 'text/plain' })],
  ['/v1/pets', { method: 'POST', headers: { ...headers, 'Content-Type': 'text/plain' } }],
  ['/v1/pets', post(rex, { 'Content-Encoding': 'gzip' })],
  ['/v1/pets', post(rex, { 'Idempotency-Key': 'two words' })],
  ['/v1/pets', post(rex, { Authorization: '' })],
  ['/v1/pets?limit=1&staus=sold', { headers }],
  ['/v1/pets?limit=0', { headers }],
  ['/v1/pets?limit=1', { method: 'HEAD', headers }],
  ['/v1/pets?limit=0', { method: 'HEAD', headers }],
  ['/v1/pets', { headers: { ...headers, Authorization: 'Bearer not-this-one' } }],
  ['/v1/pets', { headers: { ...headers, Authorization: 'Bearer Bearer a' } }],
  ['/v1/pets/1', { headers }],
  ['/v1/pets/%31', { headers }],
  ['/v1/pets/404', { headers }],
  ['/v1/pets/one', { headers }],
];

const cause = new Error('the database is down');

const failingWith = (pets: Partial<PetRepository>): Partial<Ports> => ({
  pets: { ...inMemoryPetRepository(), ...pets },
});

const readOnly: Authenticate = () =>
  TE.right(callerOf(decodeOrThrow(KeyId, 'a'), decodeOrThrow(OwnerId, 'b'), { isReadOnly: true }));

const quota = { requests: 1_000, seconds: 60, remaining: 7, resetsInSeconds: 42 };

/** States of a store, each with the ports that put a store into this state. */
const states: Readonly<Record<string, () => Partial<Ports>>> = {
  'works, within a rate limit': () => ({ consumeQuota: () => TE.right({ ...quota, isWithin: true }) }),
  'is used beyond its rate limit': () => ({ consumeQuota: () => TE.right({ ...quota, isWithin: false }) }),
  'may only be read': () => ({ authenticate: readOnly }),
  'is down': () =>
    failingWith({ list: () => TE.left(unavailable(cause)), create: () => TE.left(unavailable(cause)) }),
  'is broken': () => failingWith({ list: () => () => Promise.reject(cause) }),
  'adds the animal of the key at the moment': () =>
    failingWith({ create: () => TE.left(idempotencyKeyInFlight) }),
  'has deleted the animal of the key': () => failingWith({ create: () => TE.left(petDeleted) }),
};

const ofConnection = ['connection', 'keep-alive', 'date', 'transfer-encoding'];

const shown = async (response: Response, method: string | undefined) => ({
  status: response.status,
  headers: [...response.headers].filter(
    ([name]) => !ofConnection.includes(name) && (name !== 'content-length' || method === 'HEAD'),
  ),
  body: await response.text(),
});

describe('The operations', () => {
  for (const [state, ports] of Object.entries(states)) {
    it(`get the same responses, with the same headers, on each transport if the store ${state}`, async () => {
      const responses: Array<ReadonlyArray<Awaited<ReturnType<typeof shown>>>> = [];
      for (const start of Object.values(transports)) {
        const [call, stop] = await start(() => ({
          pets: inMemoryPetRepository(),
          authenticate: byKey,
          ...ports(),
        }));
        const received = [];
        for (const [path, init] of requests) received.push(await shown(await call(path, init), init.method));
        responses.push(received);
        await stop();
      }
      const [expected = [], ...others] = responses;
      expect(others).to.deep.equal([expected, expected]);
      for (const { headers } of expected) {
        expect(Object.fromEntries(headers)).to.include({
          'cache-control': 'no-store',
          vary: 'Authorization',
          'x-content-type-options': 'nosniff',
          'x-request-id': 'the-same',
        });
      }
    });
  }

  it('refuse a second API key or type of the content, also in a server that keeps only the first', async () => {
    const ports = { pets: inMemoryPetRepository(), authenticate: byKey };
    const app = new Koa();
    mountPetRoutes(app, storeOpener(ports));
    const { address, close } = await servePlainly(app.callback());
    const handle = petRoutesHandler({ openStore: storeOpener(ports) });
    const fields = { Host: 'store', Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    for (const [name, value, expected] of [
      ['Authorization', 'Bearer other', 401],
      ['Content-Type', 'application/json', 415],
    ] as const) {
      const twice = [...Object.entries(fields), [name, value] as const];
      const rawHeaders = twice.flat();
      const sent = request(`${address}/v1/pets`, { method: 'POST', headers: rawHeaders }).end(rex);
      const answered = await new Promise<IncomingMessage>((resolve) => sent.on('response', resolve));
      expect(answered.resume().statusCode, name).to.equal(expected);
      const headers = new Headers();
      for (const [field, text] of twice) headers.append(field, text);
      const { status } = await handle(
        new Request('http://store/v1/pets', { method: 'POST', headers, body: rex }),
      );
      expect(status, name).to.equal(expected);
    }
    await close();
  });

  it('are told after how long to try again, by the failure', async () => {
    const ports = { pets: inMemoryPetRepository(), authenticate: byKey };
    const retryAfterIn = async (state: string, init: RequestInit) => {
      const handle = petRoutesHandler({
        openStore: storeOpener({ ...ports, ...states[state]?.() }),
        onError: () => undefined,
      });
      const { status, headers } = await handle(new Request('http://store/v1/pets', init));
      return [status, headers.get('Retry-After')];
    };
    expect(await retryAfterIn('is used beyond its rate limit', { headers })).to.deep.equal([429, '42']);
    expect(await retryAfterIn('is down', { headers })).to.deep.equal([503, '1']);
    const inFlight = 'adds the animal of the key at the moment';
    expect(await retryAfterIn(inFlight, post(rex, keyed))).to.deep.equal([409, '1']);
  });
});
