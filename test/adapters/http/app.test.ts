import { expect } from 'chai';
import * as E from 'fp-ts/Either';
import * as TE from 'fp-ts/TaskEither';
import type Koa from 'koa';
import compress from 'koa-compress';
import helmet from 'koa-helmet';
import responseTime from 'koa-response-time';
import { EventEmitter, once } from 'node:events';
import type { RequestRecord } from '../../../adapters/http';
import { httpApplication } from '../../../adapters/http/app';
import { inMemoryPetRepository } from '../../../adapters/in-memory';
import { invalidApiKey, openAnimalStore, type PetRepository, unavailable } from '../../../core';
import { eventually } from '../../support/eventually';
import { byKey, key } from '../../support/http/start-server';
import { servePlainly } from '../../support/http/listen';

type Options = Parameters<typeof httpApplication>[0];

interface Observed {
  readonly address: string;
  readonly records: ReadonlyArray<RequestRecord>;
  readonly errors: ReadonlyArray<unknown>;
}

/** Runs a test while Node's own server serves the application. */
const withApplication = async (
  options: Partial<Options> & { readonly pets?: Partial<PetRepository> },
  test: (observed: Observed) => Promise<void>,
): Promise<void> => {
  const { pets, ...others } = options;
  const records: Array<RequestRecord> = [];
  const errors: Array<unknown> = [];
  const { app } = httpApplication({
    openStore: openAnimalStore({ pets: { ...inMemoryPetRepository(), ...pets }, authenticate: byKey }),
    checkReadiness: TE.right(undefined),
    reporter: {
      requestEnded: (record) => records.push(record),
      requestRejected: () => undefined,
      error: (cause) => errors.push(cause),
    },
    ...others,
  });
  const server = await servePlainly(app.callback());
  try {
    await test({ address: server.address, records, errors });
  } finally {
    await server.close();
  }
};

const authorization = { Authorization: `Bearer ${key}` };
const rex = '{"name":"Rex","categoryId":7}';

const list = (address: string, headers: Readonly<Record<string, string>> = authorization) =>
  fetch(`${address}/v1/pets`, { headers });

const create = (address: string) =>
  fetch(`${address}/v1/pets`, {
    method: 'POST',
    headers: { ...authorization, 'Content-Type': 'application/json' },
    body: rex,
  });

describe('The Koa application', () => {
  it('takes middleware from npm: helmet, compress and a response time', () =>
    withApplication(
      { middleware: [helmet(), compress({ threshold: 0, br: false }), responseTime()] },
      async ({ address }) => {
        for (let count = 0; count < 3; count += 1) await create(address);
        const listed = await list(address, { ...authorization, 'Accept-Encoding': 'gzip' });
        expect(listed.headers.get('Strict-Transport-Security')).to.match(/^max-age=/);
        expect(listed.headers.get('Content-Encoding')).to.equal('gzip');
        expect(listed.headers.get('X-Response-Time')).to.match(/ms$/);
        expect(await listed.json()).to.have.length(3);
        const failed = await list(address, {});
        expect([failed.status, failed.headers.get('X-Response-Time')?.slice(-2)]).to.deep.equal([401, 'ms']);
      },
    ));

  it('keeps the headers of one response out of the next', async () => {
    let count = 0;
    const mark: Koa.Middleware = (context, next) => {
      count += 1;
      if (count === 1) context.set('X-First', 'yes');
      return next();
    };
    await withApplication({ middleware: [mark] }, async ({ address }) => {
      expect((await list(address)).headers.get('X-First')).to.equal('yes');
      expect((await list(address)).headers.has('X-First')).to.equal(false);
    });
  });

  it('shows middleware the caller, the status and the body', async () => {
    const seen: Array<unknown> = [];
    const look: Koa.Middleware<{ caller?: { readonly keyId: string } }> = async (context, next) => {
      await next();
      seen.push([context.state.caller?.keyId, context.status, String(context.body)]);
    };
    await withApplication({ middleware: [look] }, async ({ address }) => {
      await create(address);
      await list(address);
      await fetch(`${address}/v1/pets/1`, { headers: authorization });
    });
    const opened = await byKey(key)();
    const keyId = E.isRight(opened) ? opened.right.keyId : undefined;
    expect(seen).to.deep.equal([
      [keyId, 201, '{"id":1,"name":"Rex","categoryId":7}'],
      [keyId, 200, '[{"id":1,"name":"Rex","categoryId":7}]'],
      [keyId, 200, '{"id":1,"name":"Rex","categoryId":7}'],
    ]);
  });

  it('answers anything that middleware throws with an opaque 500, and reports its cause', async () => {
    const thrown: ReadonlyArray<unknown> = [
      new Error('a secret'),
      'a secret',
      undefined,
      Object.create(null),
    ];
    let count = 0;
    const broken: Koa.Middleware = () => {
      const cause = thrown[count];
      count += 1;
      throw cause;
    };
    await withApplication({ middleware: [broken] }, async ({ address, errors }) => {
      for (const cause of thrown) {
        const response = await list(address);
        expect(response.headers.get('X-Request-Id')).to.be.a('string');
        expect(await response.json()).to.deep.equal({
          code: 'internal_error',
          message:
            'internal error; report it to the operator of the service with the X-Request-Id of the response, if it has one',
          status: 500,
        });
        if (cause instanceof Error) expect(errors).to.deep.equal([cause]);
      }
      expect(errors).to.have.lengthOf(thrown.length);
    });
  });

  it('leaves nothing of the abandoned response in a 500', async () => {
    const broken: Koa.Middleware = async (context, next) => {
      await next();
      if (context.method === 'GET') throw new Error('too late');
    };
    await withApplication({ middleware: [broken] }, async ({ address }) => {
      for (let count = 0; count < 2; count += 1) await create(address);
      const listed = await fetch(`${address}/v1/pets?limit=1`, { headers: authorization });
      expect([listed.status, listed.headers.get('Link')]).to.deep.equal([500, null]);
      const document = await fetch(`${address}/openapi.json`, { headers: { 'Accept-Encoding': 'gzip' } });
      expect([document.status, document.headers.get('ETag')]).to.deep.equal([500, null]);
      expect(document.headers.get('Cache-Control')).to.equal('no-store');
      expect(await document.json()).to.include({ code: 'internal_error' });
    });
  });

  it('reports the code of an error, and why a 401 was one', async () => {
    await withApplication({}, async ({ address, records }) => {
      await list(address, {});
      await list(address, { Authorization: 'Bearer two words' });
      await list(address, { Authorization: 'Bearer Bearer k1' });
      await list(address, { Authorization: 'Bearer wrong' });
      await fetch(`${address}/v1/pets?limit=0`, { headers: authorization });
      await list(address);
      await eventually('each is reported', 5_000, () => records.length === 6);
      expect(records.map(({ status, code, reason }) => [status, code, reason])).to.deep.equal([
        [401, 'unauthorized', 'missing_key'],
        [401, 'unauthorized', 'malformed_key'],
        [401, 'unauthorized', 'malformed_key'],
        [401, 'unauthorized', 'unknown_key'],
        [400, 'invalid_query', undefined],
        [200, undefined, undefined],
      ]);
    });
    const authenticate = () => TE.left(invalidApiKey('revoked'));
    const openStore = openAnimalStore({ pets: inMemoryPetRepository(), authenticate });
    await withApplication({ openStore }, async ({ address, records }) => {
      await list(address);
      await eventually('it is reported', 5_000, () => records.length === 1);
      expect(records[0]).to.include({ status: 401, reason: 'revoked_key' });
    });
  });

  it('reports a 503 with owner, path and code, and its cause apart', async () => {
    const cause = new Error('the database is gone');
    const pets = { list: () => TE.left(unavailable(cause)) };
    await withApplication({ pets }, async ({ address, records, errors }) => {
      expect((await list(address)).headers.get('Retry-After')).to.equal('1');
      await eventually('it is reported', 5_000, () => records.length === 1);
      expect(records[0]).to.include({ status: 503, code: 'unavailable', path: '/v1/pets' });
      expect(records[0]?.owner).to.be.a('string');
      expect(errors).to.deep.equal([cause]);
    });
  });

  it('reports 499 for a client that left before its response, and no error', async () => {
    const store = new EventEmitter();
    const pets = {
      list: () => async () => {
        store.emit('asked');
        await once(store, 'released');
        return E.right({ pets: [], hasMore: false });
      },
    };
    await withApplication({ pets }, async ({ address, records, errors }) => {
      const aborting = new AbortController();
      const isAsked = once(store, 'asked');
      const asked = fetch(`${address}/v1/pets`, { headers: authorization, signal: aborting.signal });
      await isAsked;
      aborting.abort();
      await asked.catch(() => undefined);
      await eventually('it is reported', 5_000, () => records.length === 1);
      store.emit('released');
      expect(records[0]?.status).to.equal(499);
      expect(errors).to.deep.equal([]);
    });
  });
});
