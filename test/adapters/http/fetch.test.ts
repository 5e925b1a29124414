import { expect } from 'chai';
import Koa from 'koa';
import { readFileSync } from 'node:fs';
import { mountPetRoutes } from '../../../adapters/http';
import { petRoutesHandler } from '../../../adapters/http/fetch';
import { inMemoryApiKeys, inMemoryPetRepository, inMemoryQuota } from '../../../adapters/in-memory';
import { openAnimalStore, type PetRepository, unavailable } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { servePlainly } from '../../support/http/listen';
import { runNode } from '../../support/packages';
import { projectFolder } from '../../support/processes/command';

const key = arbitraryApiKey();
const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);

const storeOver = (pets: PetRepository = inMemoryPetRepository()) =>
  openAnimalStore({ pets, authenticate, consumeQuota: inMemoryQuota({ requests: 1_000, seconds: 60 }) });

/** Lets a client call a handler without a socket. */
const fetchOf =
  (handle: (request: Request) => Promise<Response>): typeof fetch =>
  (input, init) =>
    handle(new Request(input, init));

describe('A fetch handler', () => {
  const authorization = { Authorization: `Bearer ${key}` };
  const json = { ...authorization, 'Content-Type': 'application/json' };
  const rex = '{"name":"Rex","categoryId":9007199254740993}';
  const post = (body: string | Uint8Array, headers = {}): RequestInit => ({
    method: 'POST',
    headers: { ...json, ...headers },
    body,
  });
  const requests: ReadonlyArray<readonly [path: string, init: RequestInit]> = [
    ['/v1/pets', post(rex)],
    ['/v1/pets', post(rex, { 'Idempotency-Key': 'one' })],
    ['/v1/pets', post(rex, { 'Idempotency-Key': 'one' })],
    ['/v1/pets', post('{"name":"Tom","categoryId":1}', { 'Idempotency-Key': 'one' })],
    ['/v1/pets', post('{"name":"Tom","categoryId":1,"colour":"red"}')],
    ['/v1/pets', post('{"name":1}')],
    ['/v1/pets', post('')],
    ['/v1/pets', post(Buffer.of(0xff))],
    ['/v1/pets', post(' '.repeat(16_001))],
    ['/v1/pets', post(rex, { 'Content-Type': 'text/plain' })],
    ['/v1/pets', post(rex, { Authorization: '' })],
    ['/v1/pets?limit=1&staus=sold', { headers: authorization }],
    ['/v1/pets?limit=0', { headers: authorization }],
    ['/v1/pets?limit=1', { method: 'HEAD', headers: authorization }],
    ['/v1/pets', { headers: { Authorization: 'Bearer not-this-one' } }],
    ['/v1/pets/1', { headers: authorization }],
    ['/v1/pets/%31', { headers: authorization }],
    ['/v1/pets/404', { headers: authorization }],
    ['/v1/pets/one', { headers: authorization }],
  ];

  it('gives the replies of the routes in a Koa application', async () => {
    const app = new Koa();
    mountPetRoutes(app, storeOver());
    const { address, close } = await servePlainly(app.callback());
    const handle = petRoutesHandler({ openStore: storeOver() });
    const ofConnection = ['connection', 'keep-alive', 'date', 'transfer-encoding', 'content-length'];
    const shown = async (response: Response) => ({
      status: response.status,
      headers: [...response.headers]
        .filter(([name]) => !ofConnection.includes(name))
        .map(([name, value]) => [name, value.replace(/;t=\d+$/, '')]),
      body: await response.text(),
    });
    for (const [path, init] of requests) {
      const expected = await shown(await fetch(address + path, init));
      expect(await shown(await handle(new Request(address + path, init))), path).to.deep.equal(expected);
    }
    await close();
  });

  it('answers other paths and methods as the service does, after it has checked the key', async () => {
    const handle = petRoutesHandler({ openStore: storeOver() });
    const call = (path: string, init: RequestInit) => handle(new Request(`http://store${path}`, init));
    expect((await call('/v1/nothing', {})).status).to.equal(401);
    expect((await call('/v1/nothing', { headers: authorization })).status).to.equal(404);
    const deleted = await call('/zoo/v1/pets', { method: 'DELETE', headers: authorization });
    expect([deleted.status, deleted.headers.get('Allow')]).to.deep.equal([405, 'GET, HEAD, POST']);
  });

  it('answers 400 to a body that its client breaks off, as the routes in Koa do, and reports no defect', async () => {
    const causes: Array<unknown> = [];
    const handle = petRoutesHandler({ openStore: storeOver(), onError: (cause) => causes.push(cause) });
    const body = new ReadableStream({
      pull: (controller) => {
        controller.error(new Error('the client has disconnected'));
      },
    });
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as const;
    const response = await handle(new Request('http://store/v1/pets', init));
    expect(await response.json()).to.include({ status: 400, code: 'malformed_request' });
    expect(causes).to.deep.equal([]);
  });

  it('reports a body that the host has read or locked before, as the routes in Koa do', async () => {
    for (const read of [(request: Request) => request.text(), ({ body }: Request) => body?.getReader()]) {
      const causes: Array<unknown> = [];
      const handle = petRoutesHandler({ openStore: storeOver(), onError: (cause) => causes.push(cause) });
      const request = new Request('http://store/v1/pets', post(rex));
      await read(request);
      expect((await handle(request)).status).to.equal(500);
      expect(String(causes)).to.include('the body was already read');
    }
  });

  it('reports the cause of a 500 and of a 503, also of a store that does not answer', async () => {
    const causes: Array<unknown> = [];
    const down = new Error('the disk is full');
    const pets: PetRepository = {
      ...inMemoryPetRepository(),
      list: () => () => Promise.resolve({ _tag: 'Left', left: unavailable(down) }),
      find: () => () => new Promise(() => undefined),
    };
    const handle = petRoutesHandler({ openStore: storeOver(pets), onError: (cause) => causes.push(cause) });
    const call = (path: string) => handle(new Request(`http://store${path}`, { headers: authorization }));
    expect((await call('/v1/pets')).status).to.equal(503);
    expect((await call('/v1/pets/1')).status).to.equal(503);
    expect(causes[0]).to.equal(down);
    expect(String(causes[1])).to.include('not answered within');
  });

  it('takes the key of a session from the host, as the routes in Koa do', async () => {
    const sessions = new Map([['ada', key]]);
    const openStore = storeOver();
    const handle = petRoutesHandler({
      openStore,
      authenticateRequest: ({ headers }) => sessions.get(headers.get('Cookie') ?? ''),
    });
    const app = new Koa();
    mountPetRoutes(app, openStore, {
      authenticateRequest: (context) => Promise.resolve(sessions.get(context.get('Cookie'))),
    });
    const { address, close } = await servePlainly(app.callback());
    for (const call of [fetch, fetchOf(handle)]) {
      const statusOf = async (Cookie: string) =>
        (await call(`${address}/v1/pets`, { headers: { Cookie } })).status;
      expect([await statusOf('ada'), await statusOf('eve')]).to.deep.equal([200, 401]);
    }
    await close();
  });

  it('loads no Koa, and has at most 120 lines', async () => {
    const lines = readFileSync(`${projectFolder}/adapters/http/fetch.ts`, 'utf8').trimEnd().split('\n');
    expect(lines).to.have.lengthOf.at.most(120);
    const script = `require('tsx/cjs'); require('./adapters/http/fetch');
      console.log(Object.keys(require.cache).some((file) => /node_modules.(koa|@koa)/.test(file)))`;
    expect(await runNode(projectFolder, '--eval', script)).to.include({ stdout: 'false\n', stderr: '' });
  });
});
