import { expect } from 'chai';
import Koa from 'koa';
import { mountPetRoutes, type Send, startHttpServer } from '../../../adapters/http';
import { inMemoryApiKeys, inMemoryPetRepository } from '../../../adapters/in-memory';
import { openAnimalStore } from '../../../core';
import { arbitraryApiKey } from '../../contracts/arbitrary/arbitrary-api-key';
import { arbitraryKeyId } from '../../contracts/arbitrary/arbitrary-key-id';

const breakMidway: Send = (context) => {
  context.respond = false;
  context.res.writeHead(200, { 'Content-Type': 'application/json' }).write('[{"id":1,');
  throw new Error('a defect of the sender');
};

describe('A defect amid an answer', () => {
  it('cuts the answer off: its part can not be taken for the whole, and the host is told', async () => {
    const key = arbitraryApiKey();
    const { authenticate } = inMemoryApiKeys([[arbitraryKeyId(), key]]);
    const told: Array<string> = [];
    const app = new Koa();
    app.on('error', ({ message }: Error) => told.push(message));
    mountPetRoutes(app, openAnimalStore({ pets: inMemoryPetRepository(), authenticate }), {
      send: breakMidway,
    });
    const server = await startHttpServer(app.callback(), {
      host: '127.0.0.1',
      port: 0,
      maxInFlight: 10,
      reportRefusal: () => undefined,
    });
    try {
      const asked = fetch(`${server.address}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
      const ended = await asked.then((answer) => answer.text()).catch(() => 'cut off');
      expect([ended, told]).to.deep.equal(['cut off', ['a defect of the sender']]);
    } finally {
      await server.stop(0);
    }
  });
});
