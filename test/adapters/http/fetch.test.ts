import { expect } from 'chai';
import * as TE from 'fp-ts/TaskEither';
import Koa from 'koa';
import { mock } from 'node:test';
import type { ReadableStreamDefaultController } from 'node:stream/web';
import { mountPetRoutes } from '../../../adapters/http';
import { petRoutesHandler } from '../../../adapters/http/fetch';
import { inMemoryApiKeys, inMemoryPetRepository, inMemoryQuota } from '../../../adapters/in-memory';
import { storeOpener, type PetRepository, unavailable } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId, arbitraryOwnerId } from '../../contracts';
import { success } from '../../contracts/outcome';
import { servePlainly } from '../../support/http/listen';

const key = arbitraryApiKey();
const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);

const storeOver = (pets: PetRepository = inMemoryPetRepository()) =>
  storeOpener({ pets, authenticate, consumeQuota: inMemoryQuota({ requests: 1_000, seconds: 60 }) });

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
  it('lists a page as it is now, although a repository reuses the object', async () => {
    const pets = [{ id: 1n, name: 'Rex', categoryId: 7n }];
    const page = { pets, hasMore: false };
    const openStore = storeOver({ ...inMemoryPetRepository(), list: () => TE.right(page) });
    const list = petRoutesHandler({ openStore });
    const names = [];
    for (const name of ['Rex', 'Mia']) {
      pets[0] = { id: 1n, name, categoryId: 7n };
      const response = await list(new Request('http://store/v1/pets', { headers: authorization }));
      names.push(await response.text());
    }
    expect(names).to.deep.equal([
      '[{"id":1,"name":"Rex","categoryId":7}]\n',
      '[{"id":1,"name":"Mia","categoryId":7}]\n',
    ]);
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

  it('refuses a key that is revoked while the body arrives', async () => {
    const id = arbitraryKeyId();
    const { authenticate, revoke } = inMemoryApiKeys([[id, key]]);
    const pets = inMemoryPetRepository();
    let now = performance.now();
    mock.method(performance, 'now', () => now);
    const pull = (controller: ReadableStreamDefaultController) => {
      revoke(id);
      now += 2_000;
      controller.enqueue(Buffer.from(rex));
      controller.close();
    };
    const body = new ReadableStream({ pull }, { highWaterMark: 0 });
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as const;
    const handle = petRoutesHandler({ openStore: storeOpener({ pets, authenticate }) });
    const response = await handle(new Request('http://store/v1/pets', init)).finally(() => {
      mock.reset();
    });
    expect(response.status).to.equal(401);
    expect(await success(pets.list({ limit: 1 }))).to.deep.equal({ pets: [], hasMore: false });
  });

  it('answers a read-only key before it reads the body, so that a client need not send one', async () => {
    const readOnly = inMemoryApiKeys([[arbitraryKeyId(), key, arbitraryOwnerId(), 'read-only']]).authenticate;
    const openStore = storeOpener({ pets: inMemoryPetRepository(), authenticate: readOnly });
    const body = new ReadableStream({ pull: () => new Promise(() => undefined) });
    const init = { method: 'POST', headers: json, body, duplex: 'half' } as const;
    const request = new Request('http://store/v1/pets', init);
    expect((await petRoutesHandler({ openStore })(request)).status).to.equal(403);
    expect(request.bodyUsed).to.equal(false);
  });

  for (const length of [undefined, '30000']) {
    const kind = length === undefined ? 'chunked body' : 'body of an announced length';
    it(`reads on after a ${kind} over the limit, for at most a second, and never cancels it`, async () => {
      const handle = petRoutesHandler({ openStore: storeOver() });
      let cancelled = 0;
      let pulled = 0;
      /** Sends chunks, and then ends the body, fails, or sends nothing more. */
      const send = async (chunks: number, end: (controller: ReadableStreamDefaultController) => unknown) => {
        pulled = 0;
        const body = new ReadableStream<Uint8Array>({
          pull: async (controller) => {
            pulled += 1;
            if (pulled > chunks) await end(controller);
            else controller.enqueue(new Uint8Array(10_000));
          },
          cancel: () => {
            cancelled += 1;
          },
        });
        const headers = length === undefined ? json : { ...json, 'Content-Length': length };
        const init = { method: 'POST', headers, body, duplex: 'half' } as const;
        return (await handle(new Request('http://store/v1/pets', init))).status;
      };
      expect([
        await send(10, (controller) => {
          controller.close();
        }),
        pulled,
      ]).to.deep.equal([413, 11]);
      expect(
        await send(3, (controller) => {
          controller.error(new Error('disconnected'));
        }),
      ).to.equal(413);
      expect(await send(3, () => new Promise(() => undefined))).to.equal(413);
      expect([await send(Infinity, () => undefined), pulled]).to.deep.equal([413, 804]);
      expect(cancelled).to.equal(0);
    });
  }

  it('leaves no timer after a body over the limit, which would keep a host alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const handle = petRoutesHandler({ openStore: storeOver() });
    expect((await handle(new Request('http://store/v1/pets', post(rex)))).status).to.equal(201);
    const before = timers();
    const response = await handle(new Request('http://store/v1/pets', post('x'.repeat(20_000))));
    expect([response.status, timers()]).to.deep.equal([413, before]);
  });

  it('answers an empty body as the service does, also if the host has a stream for it', async () => {
    const handle = petRoutesHandler({ openStore: storeOver() });
    const headers = { ...authorization, 'Content-Length': '0' };
    const body = new Blob([]).stream();
    const init = { method: 'POST', headers, body, duplex: 'half' } as const;
    const response = await handle(new Request('http://store/v1/pets', init));
    expect(await response.json()).to.include({ status: 400, message: 'invalid JSON: empty body' });
  });

  it('answers below a slash at the end of the path with references that still lead to the animals', async () => {
    const handle = petRoutesHandler({ openStore: storeOver() });
    const created = await handle(new Request('http://store/zoo/v1/pets/', post(rex)));
    const location = new URL(created.headers.get('Location') ?? '', 'http://store/zoo/v1/pets/');
    expect(location.pathname).to.equal('/zoo/v1/pets/1');
    const found = await handle(new Request(`${location.href}/`, { headers: authorization }));
    const [, successor = ''] = /^<(.*)>/.exec(found.headers.get('Link') ?? '') ?? [];
    expect(new URL(successor, `${location.href}/`).pathname).to.equal('/zoo/v1/pets');
    expect((await handle(new Request('http://store/v1/pets//', { headers: authorization }))).status).to.equal(
      404,
    );
  });

  it('logs causes with the id of the request if the host does not take them', async () => {
    const log = mock.method(console, 'error', () => undefined);
    try {
      const down = new Error('the disk is full');
      const pets = { ...inMemoryPetRepository(), list: () => () => Promise.reject(down) };
      const headers = { ...authorization, 'X-Request-Id': 'a-request' };
      await petRoutesHandler({ openStore: storeOver(pets) })(
        new Request('http://store/v1/pets', { headers }),
      );
      expect(log.mock.calls.map((call) => call.arguments)).to.deep.equal([
        ['animal-store: request a-request failed:', down],
      ]);
    } finally {
      mock.reset();
    }
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
      apiKeyOfRequest: ({ headers }) => sessions.get(headers.get('Cookie') ?? ''),
    });
    const app = new Koa();
    mountPetRoutes(app, openStore, {
      apiKeyOfRequest: (context) => Promise.resolve(sessions.get(context.get('Cookie'))),
    });
    const { address, close } = await servePlainly(app.callback());
    for (const call of [fetch, fetchOf(handle)]) {
      const statusOf = async (Cookie: string) =>
        (await call(`${address}/v1/pets`, { headers: { Cookie } })).status;
      expect([await statusOf('ada'), await statusOf('eve')]).to.deep.equal([200, 401]);
    }
    await close();
  });
});
