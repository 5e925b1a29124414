import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFolders } from '../support/temporary-folder';
import { embedderFolder, runNode } from './support/embedder-folder';

/** Programs that make a listener, which answers `GET /` with `well`, and `POST /` with the body of the request. */
const listeners: Readonly<Record<string, string>> = {
  express: `
    import express from 'express';
    const app = express();
    app.use(express.text());
    app.get('/', (request, response) => response.send('well'));
    app.post('/', (request, response) => response.send(request.body));
    const listener = app;`,
  fastify: `
    import Fastify from 'fastify';
    let listener;
    const app = Fastify({ serverFactory: (handler) => { listener = handler; return new EventEmitter(); } });
    app.get('/', async () => 'well');
    app.post('/', async (request) => request.body);
    await app.ready();`,
  koa: `
    import Koa from 'koa';
    const app = new Koa();
    app.use(async (ctx) => {
      ctx.body = ctx.method === 'GET' ? 'well' : String(await readBody(ctx.req, 1_000));
    });
    const listener = app.callback();`,
};

const program = (listener: string): string => `
  import { EventEmitter } from 'node:events';
  import { readBody, startHttpServer } from 'animal-store/http-server';
  ${listener}
  const server = await startHttpServer(listener, {
    host: '127.0.0.1',
    port: 0,
    maxInFlight: 10,
    maxWaitMs: 1_000,
    errorResponse: (failure) => ({ status: 503, headers: {}, body: failure._tag }),
  });
  const post = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'hello' };
  for (const init of [{}, post, {}]) console.log(await (await fetch(server.address, init)).text());
  await server.stop(0);`;

describe('http-server under listeners of other kinds', () => {
  after(removeFolders);

  for (const [name, listener] of Object.entries(listeners)) {
    it(`serves ${name}`, async () => {
      const folder = await embedderFolder(name);
      await writeFile(join(folder, 'serve.mjs'), program(listener));
      const { stdout, stderr } = await runNode(folder, 'serve.mjs');
      expect(stdout, stderr).to.equal('well\nhello\nwell\n');
    });
  }
});
