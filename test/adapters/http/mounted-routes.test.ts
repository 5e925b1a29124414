import { expect } from 'chai';
import Koa from 'koa';
import { once } from 'node:events';
import { mock } from 'node:test';
import { mountPetRoutes } from '../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { openAnimalStore, type PetRepository } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';
import { openRawConnection } from '../../support/http/raw-connection';

const key = arbitraryApiKey();
const newPet = '{"name":"Rex","categoryId":7}';

/** Starts a host; `before` is what it has in front of the routes. */
const startHost = async (before: Koa.Middleware, pets: PetRepository = inMemoryPetRepository()) => {
  const errors: Array<string> = [];
  const app = new Koa();
  app.on('error', ({ message }: Error) => errors.push(message));
  app.use(before);
  const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
  mountPetRoutes(app, openAnimalStore({ pets, authenticate }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  return { port, errors, stop: () => void server.close() };
};

/** Asks such a host for a create. */
const createBehind = async (before: Koa.Middleware) => {
  const { port, errors, stop } = await startHost(before);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: newPet,
    });
    return { status: response.status, headers: response.headers, errors };
  } finally {
    stop();
  }
};

describe('The routes in a Koa application of a host', () => {
  it('answer in the way of Koa: middleware around them sees the response, and may change it', async () => {
    const { status, headers } = await createBehind(async (context, next) => {
      await next();
      expect([context.status, context.response.get('Location')]).to.deep.equal([201, 'pets/1']);
      context.set('X-Host', 'a host');
    });
    expect([status, headers.get('X-Host'), headers.get('Content-Type')]).to.deep.equal([
      201,
      'a host',
      'application/json',
    ]);
  });

  it('take an application whose state and context are of the types of its host', () => {
    const app = new Koa<{ visitor: string }, { readonly note: (text: string) => void }>();
    const { authenticate } = inMemoryApiKeys();
    mountPetRoutes(app, openAnimalStore({ pets: inMemoryPetRepository(), authenticate }));
    expect(app.middleware).not.to.deep.equal([]);
  });

  it('say where they belong when a body parser of the host has read the body before', async () => {
    const { status, errors } = await createBehind(async (context, next) => {
      context.req.resume();
      await once(context.req, 'end');
      await next();
    });
    expect(status).to.equal(500);
    expect(errors).to.have.length(1);
    expect(errors[0]).to.contain('before the body parser');
  });

  it('blame the host that decodes the body, not the client', async () => {
    const { status, errors } = await createBehind((context, next) => {
      context.req.setEncoding('utf8');
      return next();
    });
    expect(status).to.equal(500);
    expect(errors).to.deep.equal(['stream encoding should not be set']);
  });

  it('leave a client the time that it takes for its body: the deadline is moved on by it', async () => {
    const remaining: Array<number> = [];
    const repository = inMemoryPetRepository();
    const pets: PetRepository = {
      ...repository,
      create: (pet, idempotencyKey, deadline = NaN) => {
        remaining.push(deadline - performance.now());
        return repository.create(pet, idempotencyKey);
      },
    };
    let bodyIsAskedFor = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      bodyIsAskedFor = resolve;
    });
    const { port, stop } = await startHost(({ req }, next) => {
      req.once('resume', bodyIsAskedFor);
      return next();
    }, pets);
    const now = performance.now.bind(performance);
    try {
      const connection = openRawConnection('127.0.0.1', port);
      connection.send(
        `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${newPet.length}\r\n\r\n`,
      );
      await asked;
      mock.method(performance, 'now', () => now() + 1_000_000);
      connection.send(newPet);
      expect((await connection.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
      expect(remaining).to.have.length(1);
      expect(remaining[0], 'milliseconds until the deadline').to.be.within(0, 5_000);
    } finally {
      mock.restoreAll();
      stop();
    }
  });
});
