import { expect } from 'chai';
import { constVoid } from 'fp-ts/function';
import Koa from 'koa';
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { text } from 'node:stream/consumers';
import { mountPetRoutes } from '../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { openAnimalStore } from '../../../core';
import { arbitraryApiKey, arbitraryKeyId } from '../../contracts';

/** Sends a create to a host that serves HTTP/2, without a Content-Length. */
const createOverHttp2 = async (body: string): Promise<string> => {
  const key = arbitraryApiKey();
  const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
  const app = new Koa();
  mountPetRoutes(app, openAnimalStore({ pets: inMemoryPetRepository(), authenticate }));
  const answer = app.callback();
  const server = createServer((request, response) => {
    answer(request, response).catch(constVoid);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0;
  const client = connect(`http://127.0.0.1:${port}`);
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
    server.close();
  }
};

describe('A create that comes over HTTP/2 to a host, where a body needs no Content-Length', () => {
  it('adds its animal', async () => {
    expect(await createOverHttp2('{"name":"Rex","categoryId":7}')).to.equal(
      '{"id":1,"name":"Rex","categoryId":7}',
    );
  });

  it('is refused without a body', async () => {
    expect(await createOverHttp2(''))
      .to.include('"code":"malformed_json"')
      .and.include('empty body');
  });
});
