import { getRequestListener } from '@hono/node-server';
import { expect } from 'chai';
import express from 'express';
import { fastify, type FastifyReply } from 'fastify';
import { Hono } from 'hono';
import type { Listener } from '../../../adapters/http-server/connection';
import {
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../support/http/plain-server';
import { getRequest, headOf, postRequest } from '../../support/http/raw-connection';

const large = 'x'.repeat(1_000_000);

/** Makes an application that answers /small and /large, echoes a POST to /echo, and answers 401 without reading it. */
type MakeApplication = () => Listener | Promise<Listener>;

const expressApplication: MakeApplication = () => {
  const app = express();
  // Without this setting, Express prints the errors of clients that leave.
  app.set('env', 'test');
  app.get('/small', (_request, response) => void response.send('small'));
  app.get('/large', (_request, response) => void response.send(large));
  app.post('/echo', express.text({ type: '*/*' }), (request, response) => void response.send(request.body));
  app.post('/refuse', (_request, response) => void response.status(401).send('refused'));
  return app;
};

const fastifyApplication: MakeApplication = async () => {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, body);
  });
  app.get('/small', () => 'small');
  app.get('/large', () => large);
  app.post('/echo', ({ body }) => body);
  const onRequest = async (_request: unknown, reply: FastifyReply) => reply.code(401).send('refused');
  app.post('/refuse', { onRequest }, () => 'accepted');
  await app.ready();
  return (request, response) => {
    app.routing(request, response);
  };
};

const honoApplication: MakeApplication = () => {
  const app = new Hono();
  app.get('/small', (context) => context.text('small'));
  app.get('/large', (context) => context.text(large));
  app.post('/echo', async (context) => context.text(await context.req.text()));
  app.post('/refuse', (context) => context.text('refused', 401));
  app.onError((_error, context) => context.text('failed', 400));
  return getRequestListener(app.fetch);
};

const applications: Readonly<Record<string, MakeApplication>> = {
  Express: expressApplication,
  Fastify: fastifyApplication,
  Hono: honoApplication,
};

for (const [name, makeApplication] of Object.entries(applications)) {
  describe(`An application of ${name} on startHttpServer`, () => {
    let server: PlainServer;
    before(async () => {
      server = await startPlainServer(await makeApplication());
    });
    after(stopPlainServers);

    const post = (path: string, ...headers: ReadonlyArray<string>): string =>
      postRequest(path, 'hello', 'Content-Type: text/plain', ...headers);

    it('answers pipelined requests in order', async () => {
      const requests = getRequest('/small') + getRequest('/large') + post('/echo') + getRequest('/missing');
      const received = await server.exchange(requests + getRequest('/small', 'Connection: close'));
      expect(statusesIn(received)).to.deep.equal([200, 200, 200, 404, 200]);
      expect(received.toString()).to.match(/\r\n\r\nsmall[^]*x{9999}[^]*hello[^]*404[^]*\r\n\r\nsmall$/);
    });

    it('asks for a body that the client holds back', async () => {
      const connection = server.connect();
      const request = post('/echo', 'Expect: 100-continue', 'Connection: close');
      connection.send(request.slice(0, -5));
      await connection.received(/^HTTP\/1\.1 100 /);
      connection.send('hello');
      expect((await connection.closed()).toString()).to.match(/\r\n\r\nhello$/);
    });

    it('closes the connection after a response that comes before the body', async () => {
      const connection = server.connect();
      connection.send(post('/refuse').slice(0, -2));
      await connection.received(/HTTP\/1\.1 401 [^]*refused/);
      connection.send(`lo${getRequest('/small')}`);
      const received = await connection.closed();
      expect(statusesIn(received)).to.deep.equal([401]);
      expect(received.toString()).to.match(/\r\nConnection: close\r\n/i);
    });

    it('survives a malformed chunk and a client that leaves', async () => {
      const chunked = ['Host: a', 'Content-Type: text/plain', 'Transfer-Encoding: chunked'];
      for (const early of [[], ['Expect: 100-continue']]) {
        const connection = server.connect();
        connection.send(headOf('POST /echo HTTP/1.1', ...chunked, ...early));
        if (early.length > 0) await connection.received(/ 100 /);
        connection.send('5\r\nhello\r\nzzz\r\n');
        expect(statusesIn(await connection.closed()).at(-1)).to.equal(400);
      }
      const leaving = server.connect();
      leaving.send(post('/echo', 'Expect: 100-continue').slice(0, -5));
      await leaving.received(/ 100 /);
      leaving.reset();
      const received = await server.exchange(getRequest('/small', 'Connection: close'));
      expect(statusesIn(received)).to.deep.equal([200]);
    });
  });
}
