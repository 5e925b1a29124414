import { expect } from 'chai';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readBody } from '../../../adapters/http-server';
import { eventually } from '../../support/eventually';
import { startPlainServer, statusesIn, stopPlainServers } from '../../support/http/plain-server';
import { getRequest, headOf, postRequest } from '../../support/http/raw-connection';

const boundMs = 20_000;

const largeBytes = 3_000_000;

/** Starts a server that records the bodies of its POSTs, and answers each when the test asks for it. */
const start = async () => {
  const begun: Array<string> = [];
  const held: Array<() => void> = [];
  let holds = false;
  let finished = 0;
  let running = 0;
  let mostAtOnce = 0;
  const server = await startPlainServer(
    async (request, response) => {
      response.once('close', () => (finished += 1));
      if (request.url === '/unauthorized') {
        response.statusCode = 401;
        response.end('unauthorized');
      } else if (request.url === '/large') response.end(Buffer.alloc(largeBytes, 'x'));
      else if (request.url === '/no-length') response.writeHead(304).end();
      else if (request.method === 'POST') {
        begun.push(String(await readBody(request, 1_000)));
        running += 1;
        mostAtOnce = Math.max(mostAtOnce, running);
        if (holds) await new Promise<void>((resolve) => held.push(resolve));
        else await new Promise(setImmediate);
        running -= 1;
        response.statusCode = 201;
        response.end('created');
      } else response.end('well');
    },
    { maxInFlight: 4 },
  );
  return {
    ...server,
    begun,
    finished: () => finished,
    mostAtOnce: () => mostAtOnce,
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

  it('runs nothing behind a rejected request without its body', async () => {
    const connection = server.connect();
    const refused = postRequest('/unauthorized', 'refused', 'Expect: 100-continue');
    connection.send(refused.slice(0, -5));
    await connection.received(/HTTP\/1\.1 401 /);
    connection.send(refused.slice(-5) + postRequest('/', 'behind'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
    expect(server.begun).to.deep.equal([]);
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

  it('serves other clients while one client pipelines', async () => {
    const connection = server.connect();
    const count = 1_000;
    connection.send(getRequest('/').repeat(count));
    let mostInTurn = 0;
    const giveUpAt = performance.now() + boundMs;
    while (server.finished() < count && performance.now() < giveUpAt) {
      const before = server.finished();
      await new Promise(setImmediate);
      mostInTurn = Math.max(mostInTurn, server.finished() - before);
    }
    connection.destroy();
    expect(server.finished()).to.equal(count);
    expect(mostInTurn).to.be.within(1, 10);
  });

  it('answers requests that were pipelined before a half-close', async () => {
    const connection = server.connect();
    connection.send(postRequest('/', 'one') + getRequest('/').repeat(20));
    connection.end();
    expect(statusesIn(await connection.closed())).to.deep.equal([201, ...Array<number>(20).fill(200)]);
  });

  it('stops reading while a request runs ahead of pipelined ones', async () => {
    server.hold();
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(postRequest('/', 'first'));
    await eventually('the first is begun', boundMs, () => server.begun.length > 0);
    const packet = getRequest('/').repeat(500);
    // The kernel buffers some megabytes on both sides. Bytes beyond this number must be in the server's memory.
    const kernelBytes = 16_777_216;
    let isFull = false;
    while (!isFull && socket.bytesWritten < 2 * kernelBytes) {
      const taken = new Promise((resolve) => socket.write(packet, resolve));
      isFull = (await Promise.race([taken, delay(500, 'not taken')])) === 'not taken';
    }
    expect(isFull, 'the server stops reading').to.equal(true);
    socket.destroy();
  });

  it('parses almost nothing of many pipelined requests', async () => {
    server.hold();
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    const connection = server.connect();
    try {
      connection.send(postRequest('/', 'first') + 'GET / HTTP/1.1\r\n\r\n'.repeat(100_000));
      await eventually('the first is begun', boundMs, () => server.begun.length > 0);
      await delay(500);
      expect(parsed).to.be.below(10);
    } finally {
      unsubscribe('http.server.request.start', count);
      connection.destroy();
    }
  });

  it('answers a rejected request once, whatever its body does', async () => {
    const connection = server.connect();
    connection.send(headOf('POST /unauthorized HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'));
    await connection.received(/unauthorized/);
    connection.send('zzz\r\n');
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
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
    const stopped = server.stop(0);
    await delay(300);
    let received = 0;
    for await (const chunk of socket) received += String(chunk).length;
    await stopped;
    expect(received).to.be.above(largeBytes);
  });

  it('runs as many requests at once as allowed, including those with late bodies', async () => {
    const requests = Array.from({ length: 20 }, (_, place) =>
      postRequest('/', `late ${place}`, 'Connection: close'),
    );
    const connections = requests.map((request) => {
      const connection = server.connect();
      connection.send(request.slice(0, -5));
      return connection;
    });
    await server.exchange(getRequest('/', 'Connection: close'));
    connections.forEach((connection, place) => {
      connection.send(requests[place]?.slice(-5) ?? '');
    });
    const statuses = await Promise.all(connections.map(async ({ closed }) => statusesIn(await closed())));
    expect(statuses.flat()).to.deep.equal(Array.from({ length: 20 }, () => 201));
    expect(server.mostAtOnce()).to.be.within(1, 4);
  });
});
