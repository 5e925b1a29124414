import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import Koa from 'koa';
import { EventEmitter, once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { buffer, text } from 'node:stream/consumers';
import { mock } from 'node:test';
import { mountPetRoutes } from '../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { storeOpener, type PetRepository } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { listenOn, servePlainly } from '../../support/http/listen';
import { connectTo, postRequest } from '../../support/http/raw-connection';

const key = arbitraryApiKey();
const newPet = '{"name":"Rex","categoryId":7}';

const openStore = (pets: PetRepository = inMemoryPetRepository()) =>
  storeOpener({ pets, authenticate: inMemoryApiKeys([[arbitraryKeyId(), key]]).authenticate });

/** Starts a host application with the middleware `before` in front of the routes. */
const startHost = async (before: Koa.Middleware, pets?: PetRepository) => {
  const errors: Array<string> = [];
  const app = new Koa();
  app.on('error', ({ message }: Error) => errors.push(message));
  app.use(before);
  mountPetRoutes(app, openStore(pets));
  return { errors, ...(await servePlainly(app.callback())) };
};

const createBehind = async (before: Koa.Middleware, body = Buffer.from(newPet)) => {
  const { address, errors, close } = await startHost(before);
  try {
    const response = await fetch(`${address}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body,
    });
    return { status: response.status, headers: response.headers, text: await response.text(), errors };
  } finally {
    await close();
  }
};

/** Makes a body parser of the host that leaves the body in `context.request.rawBody`, as koa-bodyparser does. */
const parserThatLeaves =
  (rawBody: (body: Buffer) => unknown): Koa.Middleware =>
  async (context, next) => {
    Object.assign(context.request, { rawBody: rawBody(await buffer(context.req)) });
    await next();
  };

describe('The routes in a Koa application of a host', () => {
  it('answer in the way of Koa: middleware around them sees the response, and may change it', async () => {
    const { status, headers } = await createBehind(async (context, next) => {
      await next();
      expect([context.status, context.response.get('Location')]).to.deep.equal([201, 'pets/1']);
      expect(context.state['caller']).to.have.property('keyId');
      context.set('X-Host', 'a host');
    });
    expect(status).to.equal(201);
    expect(headers.get('X-Host')).to.equal('a host');
    expect(headers.get('Content-Type')).to.equal('application/json');
  });

  for (const [title, before] of Object.entries<Koa.Middleware>({
    'a body parser of the host has read the body before': async (context, next) => {
      context.req.resume();
      await once(context.req, 'end');
      await next();
    },
    'the host decodes the body': (context, next) => {
      context.req.setEncoding('utf8');
      return next();
    },
  })) {
    it(`say where they belong when ${title}`, async () => {
      const { status, errors } = await createBehind(before);
      expect(status).to.equal(500);
      expect(errors).to.have.length(1);
      expect(errors[0]).to.contain('before the body parser');
    });
  }

  const decodeUtf8 = (body: Buffer): string => body.toString();

  for (const [kind, rawBody] of [
    ['text', decodeUtf8],
    ['bytes', (body: Buffer) => body],
  ] as const) {
    it(`take the ${kind} that a body parser has left, to the last digit`, async () => {
      const exact = '{"name":"é🐕","categoryId":9223372036854775807}';
      const created = await createBehind(parserThatLeaves(rawBody), Buffer.from(exact));
      expect([created.status, created.text]).to.deep.equal([201, exact.replace('{', '{"id":1,') + '\n']);
    });

    it(`refuse in such ${kind} what they refuse in a body`, async () => {
      const invalid = Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.of(0xff),
        Buffer.from('","categoryId":7}'),
      ]);
      for (const [status, code, body] of [
        [400, 'malformed_json', Buffer.from('{"name":"a","name":"b","categoryId":7}')],
        [400, 'malformed_json', invalid],
        [413, 'payload_too_large', Buffer.from(newPet + ' '.repeat(16_000))],
      ] as const) {
        const refused = await createBehind(parserThatLeaves(rawBody), body);
        expect(refused.status).to.equal(status);
        expect(refused.text).to.contain(`"${code}"`);
      }
    });
  }

  it('take a replacement character that a client has escaped, but none that a parser may have put in', async () => {
    const parser = parserThatLeaves(decodeUtf8);
    const refused = await createBehind(parser, Buffer.from('{"name":"\ufffd","categoryId":7}'));
    expect(refused.text).to.contain('send U+FFFD as \\\\ufffd');
    const created = await createBehind(parser, Buffer.from('{"name":"\\ufffd","categoryId":7}'));
    expect([created.status, created.text]).to.deep.equal([201, '{"id":1,"name":"\ufffd","categoryId":7}\n']);
  });

  it('answer the operations only, and leave every other path and method under /v1 to the host', async () => {
    const app = new Koa();
    const errors: Array<string> = [];
    app.on('error', ({ message }: Error) => errors.push(message));
    mountPetRoutes(app, openStore());
    app.use((context) => {
      if (context.path === '/v1/broken') throw new Error('a defect of the host');
      context.body = `${context.method} of the host`;
    });
    const { address, close } = await servePlainly(app.callback());
    const get = async (path: string, method = 'GET') => (await fetch(address + path, { method })).text();
    try {
      expect(await get('/v1/pets')).to.include('"unauthorized"');
      for (const path of ['/v1/orders', '/v1']) expect(await get(path)).to.equal('GET of the host');
      expect(await get('/v1/pets', 'DELETE')).to.equal('DELETE of the host');
      expect(await get('/v1/broken')).to.equal('Internal Server Error');
      expect(errors).to.deep.equal(['a defect of the host']);
    } finally {
      await close();
    }
  });

  it('leave a client the time that it takes for its body: the deadline is moved on by it', async () => {
    const remaining: Array<number> = [];
    const repository = inMemoryPetRepository();
    const pets: PetRepository = {
      ...repository,
      create: (pet, { deadline = NaN } = {}) => {
        remaining.push(deadline - performance.now());
        return repository.create(pet);
      },
    };
    const bodyReads = new EventEmitter();
    const { address, close } = await startHost(({ req }, next) => {
      req.once('resume', () => bodyReads.emit('begun'));
      return next();
    }, pets);
    const now = performance.now.bind(performance);
    try {
      const connection = connectTo(address);
      const headers = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Connection: close'];
      connection.send(postRequest('/v1/pets', newPet, ...headers).slice(0, -newPet.length));
      await once(bodyReads, 'begun');
      mock.method(performance, 'now', () => now() + 1_000_000);
      connection.send(newPet);
      expect((await connection.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
      expect(remaining).to.have.length(1);
      expect(remaining[0], 'milliseconds until the deadline').to.be.within(0, 5_000);
    } finally {
      mock.reset();
      await close();
    }
  });
});

/** Sends a create without a Content-Length to a host application over HTTP/2. */
const createOverHttp2 = async (body: string): Promise<string> => {
  const app = new Koa();
  mountPetRoutes(app, openStore());
  const answer = app.callback();
  const host = await listenOn(
    createServer((request, response) => {
      answer(request, response).catch(constVoid);
    }),
  );
  const client = connect(host.address);
  try {
    const stream = client.request({
      ':method': 'POST',
      ':path': '/v1/pets',
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    });
    stream.end(body);
    return await text(stream);
  } finally {
    client.close();
    await host.close();
  }
};

describe('A create that comes over HTTP/2 to a host, where a body needs no Content-Length', () => {
  it('adds its animal, and is refused without a body', async () => {
    expect(await createOverHttp2(newPet)).to.equal('{"id":1,"name":"Rex","categoryId":7}\n');
    expect(await createOverHttp2(''))
      .to.include('"code":"malformed_json"')
      .and.include('empty body');
  });
});
