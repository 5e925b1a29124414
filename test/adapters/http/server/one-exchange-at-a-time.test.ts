import { expect } from 'chai';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import { mock } from 'node:test';
import { eventually } from '../../../support/eventually';
import { isRefused } from '../../../support/http/client';
import { bodyOf, startPlainServer, statusesIn, stopPlainServers } from '../../../support/http/plain-server';
import { getRequest, headOf, postRequest } from '../../../support/http/raw-connection';

const boundMs = 20_000;

const largeBytes = 3_000_000;

/** Starts a server that records the bodies of its POSTs, and answers each when the test asks for it. */
const start = async () => {
  const begun: Array<string> = [];
  const held: Array<() => void> = [];
  let holds = false;
  let finished = 0;
  const server = await startPlainServer(async (request, response) => {
    response.once('close', () => (finished += 1));
    if (request.url === '/unauthorized') {
      response.statusCode = 401;
      response.end('unauthorized');
    } else if (request.url === '/large') response.end(Buffer.alloc(largeBytes, 'x'));
    else if (request.url === '/no-length') response.writeHead(304).end();
    else if (request.method === 'POST') {
      begun.push(await bodyOf(request));
      if (holds) await new Promise<void>((resolve) => held.push(resolve));
      else await new Promise(setImmediate);
      response.statusCode = 201;
      response.end('created');
    } else response.end('well');
  });
  return {
    ...server,
    begun,
    finished: () => finished,
    hold: () => {
      holds = true;
    },
    release: () => {
      holds = false;
      for (const go of held.splice(0)) go();
    },
  };
};

describe('A connection runs one exchange at a time', () => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeEach(async () => {
    server = await start();
  });
  afterEach(() => {
    server.release();
    return stopPlainServers();
  });

  it('starts a pipelined request after the response to the one before', async () => {
    server.hold();
    const connection = server.connect();
    connection.send(
      postRequest('/', 'first') + postRequest('/', 'second') + postRequest('/', 'third', 'Connection: close'),
    );
    await eventually('the first is begun', boundMs, () => server.begun.length > 0);
    expect(server.begun).to.deep.equal(['first']);
    server.release();
    expect(statusesIn(await connection.closed())).to.deep.equal([201, 201, 201]);
    expect(server.begun).to.deep.equal(['first', 'second', 'third']);
  });

  it('runs nothing behind a rejected request with Expect: 100-continue in the same packet', async () => {
    const refused = postRequest('/unauthorized', 'refused', 'Expect: 100-continue');
    const received = await server.exchange(refused + postRequest('/', 'behind'));
    expect(statusesIn(received)).to.deep.equal([401]);
    expect(server.begun).to.deep.equal([]);
  });

  it('answers 3,000 requests that wait behind a running one', async () => {
    server.hold();
    const connection = server.connect();
    connection.send(postRequest('/', 'first') + getRequest('/').repeat(2_999));
    connection.send(getRequest('/', 'Connection: close'));
    await eventually('the first is begun', boundMs, () => server.begun.length > 0);
    server.release();
    const statuses = statusesIn(await connection.closed());
    expect(statuses).to.deep.equal([201, ...Array<number>(3_000).fill(200)]);
  });

  it('serves other clients while one client pipelines', async () => {
    const connection = server.connect();
    const count = 100;
    connection.send(getRequest('/').repeat(count));
    let mostInTick = 0;
    await eventually('all are served', boundMs, async () => {
      for (let tick = 0; tick < count && server.finished() < count; tick += 1) {
        const before = server.finished();
        await new Promise(setImmediate);
        mostInTick = Math.max(mostInTick, server.finished() - before);
      }
      return server.finished() === count;
    });
    connection.destroy();
    expect(mostInTick).to.be.within(1, 10);
  });

  it('answers a malformed body behind a running request after that request', async () => {
    server.hold();
    const connection = server.connect();
    const chunked = headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked');
    connection.send(`${postRequest('/', 'first')}${chunked}5\r\nhello\r\nzzz\r\n${getRequest('/')}`);
    await eventually('the first is begun', boundMs, () => server.begun.length > 0);
    server.release();
    expect(statusesIn(await connection.closed())).to.deep.equal([201, 400]);
    expect(server.begun).to.deep.equal(['first']);
  });

  it('starts no waiting pipelined request during a stop', async () => {
    server.hold();
    const connection = server.connect();
    connection.send(Array.from({ length: 20 }, (_, place) => postRequest('/', `body ${place}`)).join(''));
    await eventually('the first is begun', boundMs, () => server.begun.length > 0);
    const stopped = server.stop(0);
    server.release();
    const received = await connection.closed();
    await stopped;
    expect(statusesIn(received)).to.deep.equal([201]);
    expect(server.begun).to.deep.equal(['body 0']);
  });

  it('answers a malformed pipelined request in order, and nothing behind it', async () => {
    const sound = postRequest('/', 'first') + getRequest('/');
    const received = await server.exchange(`${sound}nonsense\r\n\r\n${getRequest('/')}`);
    expect(statusesIn(received)).to.deep.equal([201, 200, 400]);
  });

  it('runs nothing behind a response that ends an HTTP/1.0 connection', async () => {
    const last = headOf('GET /no-length HTTP/1.0', 'Connection: keep-alive');
    expect(statusesIn(await server.exchange(last + postRequest('/', 'behind')))).to.deep.equal([304]);
    expect(server.begun).to.deep.equal([]);
  });

  for (const [what, headers, body] of [
    ['without a body', [], ''],
    ['with a body', ['Content-Length: 5'], 'hello'],
    ['with a chunked body', ['Transfer-Encoding: chunked'], '5\r\nhello\r\n0\r\n\r\n'],
  ] as const) {
    it(`answers a request to upgrade in HTTP/1.1 and ends the connection: ${what}`, async () => {
      const upgrade = headOf('PUT / HTTP/1.1', 'Host: a', 'Connection: upgrade', 'Upgrade: h2c', ...headers);
      const received = await server.exchange(upgrade + body + getRequest('/'));
      expect(statusesIn(received)).to.deep.equal([200]);
      expect(received.toString()).to.contain('\r\nConnection: close\r\n');
    });
  }

  it('sends a large response whole ahead of a pipelined CONNECT', async () => {
    const received = await server.exchange(getRequest('/large') + headOf('CONNECT a:1 HTTP/1.1', 'Host: a'));
    expect(statusesIn(received)).to.deep.equal([200, 405]);
    expect(received.length).to.be.above(largeBytes);
  });

  it('waits during a stop until a client has read its whole response', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(getRequest('/large'));
    await once(socket, 'readable');
    mock.timers.enable({ apis: ['setInterval'] });
    const stopped = server.stop(0);
    await eventually('the server accepts no connection', boundMs, () => isRefused(server.address));
    mock.timers.tick(1_000);
    let received = 0;
    socket.on('data', ({ length }: Buffer) => (received += length));
    await eventually('the client has read the response', boundMs, () => received > largeBytes);
    await eventually('the connection is closed', boundMs, () => {
      mock.timers.tick(1_000);
      return socket.closed;
    });
    mock.reset();
    await stopped;
  });

  it('starts a pipelined request in the async context of its arrival, which tracing libraries need', async () => {
    const arrived = new AsyncLocalStorage<string>();
    // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with its server.
    const { emit } = Server.prototype;
    // OpenTelemetry sets the context in the same way.
    mock.method(Server.prototype, 'emit', function (this: Server, ...event: ReadonlyArray<unknown>) {
      const [name, request] = event;
      const target = name === 'request' && request instanceof IncomingMessage ? String(request.url) : '';
      return arrived.run(target, (): unknown => Reflect.apply(emit, this, event));
    });
    const seen: Array<readonly [target: string | undefined, context: string | undefined]> = [];
    const { exchange } = await startPlainServer(async (request, response) => {
      await bodyOf(request);
      seen.push([request.url, arrived.getStore()]);
      response.end('well');
    });
    await exchange(
      postRequest('/1', 'body') + getRequest('/2') + getRequest('/3', 'Connection: close'),
    ).finally(() => {
      mock.reset();
    });
    expect(seen).to.deep.equal(['/1', '/2', '/3'].map((target) => [target, target]));
  });
});
