import { expect } from 'chai';
import Koa from 'koa';
import { once } from 'node:events';
import { mountPetRoutes } from '../../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../../adapters/in-memory';
import { openAnimalStore } from '../../../../core';
import { arbitraryApiKey } from '../../../contracts/arbitrary/arbitrary-api-key';
import { arbitraryKeyId } from '../../../contracts/arbitrary/arbitrary-key-id';

const key = arbitraryApiKey();

/** Asks a host for a create; `before` is what the host has in front of the routes. */
const createBehind = async (before: Koa.Middleware) => {
  const errors: Array<string> = [];
  const app = new Koa();
  app.on('error', ({ message }: Error) => errors.push(message));
  app.use(before);
  const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
  mountPetRoutes(app, openAnimalStore({ pets: inMemoryPetRepository(), authenticate }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  try {
    const response = await fetch(`http://127.0.0.1:${port}/v1/pets`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: '{"name":"Rex","categoryId":7}',
    });
    return { status: response.status, headers: response.headers, errors };
  } finally {
    server.close();
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
});
