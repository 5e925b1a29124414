import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import Koa from 'koa';
import { setTimeout as delay } from 'node:timers/promises';
import { type Listener, readBody } from '../../../adapters/http-server';
import { testsAtOnce } from '../../support/at-once';
import { getRequest, postRequest, startPlainServer, statusesIn } from '../../support/http/plain-server';

const large = Buffer.alloc(1_000_000, 'x');

/** Makes a listener that runs middleware, as Koa does. */
const koaListener = (): Listener => {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    ctx.set('X-Before', 'yes');
    await next();
  });
  app.use(async (ctx) => {
    if (ctx.path === '/large') ctx.body = large;
    else if (ctx.path === '/body') ctx.body = await readBody(ctx.req, 1_000);
    else if (ctx.path === '/throws') throw new Error('a mistake');
    else if (ctx.path === '/late') {
      await delay(4_500);
      ctx.body = 'late';
    } else ctx.body = { path: ctx.path };
  });
  return app.callback();
};

/** Makes a listener that replaces the prototypes of the request and the response, as Express does. */
const prototypeListener = (): Listener => {
  class FrameworkRequest extends IncomingMessage {}
  class FrameworkResponse extends ServerResponse {}
  return async (request, response) => {
    Object.setPrototypeOf(request, FrameworkRequest.prototype);
    Object.setPrototypeOf(response, FrameworkResponse.prototype);
    response.setHeader('X-Before', 'yes');
    if (request.url === '/large') response.end(large);
    else if (request.url === '/body') response.end(await readBody(request, 1_000));
    else if (request.url === '/throws') response.writeHead(500).end('a mistake');
    else if (request.url === '/late') {
      await delay(4_500);
      response.setHeader('X-Late', 'yes');
      response.writeHead(200, { 'X-Late': 'yes' });
      response.write('late');
      response.end('late');
    } else {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ path: request.url }));
    }
  };
};

const listeners = Object.entries({ Koa: koaListener, Express: prototypeListener });

for (const [name, makeListener] of listeners) {
  describe(`A listener like that of ${name}`, () => {
    let server: Awaited<ReturnType<typeof startPlainServer>>;
    beforeEach(async () => {
      server = await startPlainServer(makeListener(), { maxInFlight: 1 });
    });
    afterEach(() => server.stop(0));

    it('answers small and large requests on one connection', async () => {
      const connection = server.connect();
      connection.send(
        getRequest('/a') +
          getRequest('/large') +
          postRequest('/body', 'hello') +
          getRequest('/throws') +
          getRequest('/b', 'Connection: close'),
      );
      const received = await connection.closed();
      expect(statusesIn(received)).to.deep.equal([200, 200, 200, 500, 200]);
      expect(received.length).to.be.above(large.length);
      expect(received.toString()).to.match(
        /x-before: yes[^]*\{"path":"\/a"\}[^]*x{9999}[^]*hello[^]*\{"path":"\/b"\}$/i,
      );
    });

    it('reads a late body without a slot', async () => {
      const slow = server.connect();
      slow.send(postRequest('/body', 'hello', 'Connection: close').slice(0, -2));
      const other = server.connect();
      other.send(postRequest('/body', 'other', 'Connection: close'));
      expect(statusesIn(await other.closed())).to.deep.equal([200]);
      slow.send('lo');
      expect((await slow.closed()).toString()).to.match(/\r\n\r\nhello$/);
    });
  });
}

const answerLateWith = (makeListener: () => Listener) => async (): Promise<void> => {
  const server = await startPlainServer(makeListener(), { maxInFlight: 1 });
  const connection = server.connect();
  connection.send(getRequest('/late'));
  await connection.received(/DeadlineExceeded/);
  await delay(1_000);
  connection.send(getRequest('/b', 'Connection: close'));
  const received = await connection.closed();
  await server.stop(0);
  expect(statusesIn(received)).to.deep.equal([503, 200]);
  expect(received.toString())
    .to.match(/^[^]*?\r\n\r\n\{"_tag":"DeadlineExceeded"\}HTTP/)
    .and.not.match(/late/i);
};

describe('A late listener', () => {
  testsAtOnce(
    Object.fromEntries(
      listeners.map(([name, makeListener]) => [
        `like that of ${name} is answered for at the deadline, and its later writes have no effect`,
        answerLateWith(makeListener),
      ]),
    ),
  );
});

it('A small body arrives byte for byte, with a callback at its end', async () => {
  let wasCalledBack = false;
  const server = await startPlainServer((_request, response) => {
    response.end(Buffer.from('hélló 😀'), () => {
      wasCalledBack = true;
    });
  });
  const connection = server.connect();
  connection.send(getRequest('/', 'Connection: close'));
  const received = await connection.closed();
  await server.stop(0);
  expect(received.toString()).to.match(/Content-Length: 12\r\n[^]*hélló 😀$/);
  expect(wasCalledBack).to.equal(true);
});
