import Router from '@koa/router';
import { ApiKey, decodeOrThrow, KeyId, openAnimalStore } from 'animal-store/core';
import { mountPetRoutes } from 'animal-store/http';
import { inMemoryApiKeys, inMemoryPetRepository } from 'animal-store/in-memory';
import { once } from 'node:events';
import { createServer } from 'node:http';
import Koa from 'koa';

const app = new Koa();

app.on('error', (error: Error) => {
  console.error(`the host's log: ${error.message}`);
});

app.use(async (context, next) => {
  try {
    await next();
  } catch (error) {
    context.status = 500;
    context.body = "the host's own error page";
    context.app.emit('error', error, context);
  }
});

const hostRoutes = new Router();
hostRoutes.get('/', (context) => {
  context.body = "the host's front page";
});
hostRoutes.get('/broken', () => {
  throw new Error('a defect of the host');
});
app.use(hostRoutes.routes());

// The animal store answers all paths under /v1. The host answers all others below.
mountPetRoutes(
  app,
  openAnimalStore({
    pets: inMemoryPetRepository(),
    authenticate: inMemoryApiKeys([[decodeOrThrow(KeyId, 'host'), decodeOrThrow(ApiKey, 'the-key')]])
      .authenticate,
  }),
);

app.use((context) => {
  context.status = 404;
  context.body = 'the host has no such page';
});

const listen = async (): Promise<void> => {
  const handle = app.callback();
  const server = createServer((request, response) => void handle(request, response));
  server.listen(Number(process.env['PORT']), '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  console.log(typeof address === 'object' && address ? `http://127.0.0.1:${address.port}` : address);
};

void listen();
