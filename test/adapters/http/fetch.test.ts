import { expect } from 'chai';
import Koa from 'koa';
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

  it('loads neither Koa nor a module of Node', async () => {
    const script = `require('tsx/cjs');
      const loaded = [];
      const load = require('node:module')._load;
      require('node:module')._load = (name, ...rest) => { loaded.push(name); return load(name, ...rest); };
      require('./adapters/http/fetch');
      console.log(loaded.filter((name) => !/^(?:\\.|fp-ts|io-ts|lossless-json)/.test(name)));`;
    expect(await runNode(projectFolder, '--eval', script)).to.include({ stdout: '[]\n', stderr: '' });
  });
});
