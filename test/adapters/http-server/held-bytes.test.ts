import { expect } from 'chai';
import { createServer, type IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { readBody } from '../../../adapters/http-server';
import { Connection } from '../../../adapters/http-server/connection';
import { type HeldBody, maxBodiesBytes, shedBodies } from '../../../adapters/http-server/memory-limits';
import { maxHeldBytes } from '../../../adapters/http-server/received-bytes';
import { eventually } from '../../support/eventually';
import { listenOn } from '../../support/http/listen';
import { startPlainServer, statusesIn, stopPlainServers } from '../../support/http/plain-server';
import { connectTo, getRequest, postRequest } from '../../support/http/raw-connection';

const boundMs = 40_000;

describe('Bytes pipelined behind a running request', () => {
  it("are counted until they are parsed, and dropped with their connection above the server's limit", async () => {
    const held = { total: 0 };
    const connections: Array<Connection> = [];
    const started: Array<IncomingMessage> = [];
    const server = createServer((request) => {
      connections.at(-1)?.enqueue({ request, start: () => started.push(request), fail: () => undefined });
    });
    server.on('connection', (socket) => {
      connections.push(new Connection(socket, held));
    });
    const { address, close } = await listenOn(server);
    try {
      const pipelined = getRequest('/').repeat(1_000);
      const first = connectTo(address);
      first.send(getRequest('/') + pipelined);
      await eventually('the bytes are held', boundMs, () => held.total > 10_000);
      expect(connections[0]?.mustClose).to.equal(false);
      expect(started).to.have.length(1);
      connections[0]?.closed();
      expect(held.total).to.equal(0);

      held.total = maxHeldBytes + 1;
      connectTo(address).send(getRequest('/') + pipelined);
      await eventually('the connection must close', boundMs, () => connections[1]?.mustClose === true);
      expect(held.total).to.equal(maxHeldBytes + 1);
      expect(started, 'the request that runs goes on').to.have.length(2);
      const [, second] = connections;
      second?.finishCurrent();
      await eventually('it ends after the response', boundMs, () => second?.socket.writableEnded === true);
    } finally {
      await close();
    }
  });
});

describe('A malformed body behind a running request', () => {
  after(stopPlainServers);

  for (const [what, body] of [
    ['in absurd chunks', '1\r\nx\r\n'.repeat(2_000)],
    ['without a valid chunk', 'zzz\r\n'],
  ] as const) {
    it(`leaves the running response alone: ${what}`, async () => {
      const held: Array<() => void> = [];
      const server = await startPlainServer((_, response) => {
        held.push(() => response.end('well'));
      });
      const connection = server.connect();
      const chunked = 'POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
      connection.send(`${chunked}1\r\nx\r\n`);
      await eventually('it runs', boundMs, () => held.length === 1);
      connection.send(`0\r\n\r\n${chunked}${body}`);
      await delay(300);
      held[0]?.();
      expect(statusesIn(await connection.closed())).to.deep.equal([200, 400]);
    });
  }
});

describe('Bodies that are being received', () => {
  afterEach(() => {
    mock.restoreAll();
    return stopPlainServers();
  });

  const bodyBytes = 1_000_000;
  const clients = 100;

  it('are bounded in total: the excess gets a 503, the others and small bodies are served', async () => {
    const server = await startPlainServer(async (request, response) => {
      response.end(String((await readBody(request, bodyBytes)).length));
    });
    const request = postRequest('/', 'x'.repeat(bodyBytes), 'Connection: close');
    let answered = 0;
    const connections = Array.from({ length: clients }, () => {
      const connection = server.connect();
      connection.send(request.slice(0, -1_000));
      const answer = connection.closed().then((received) => {
        answered += 1;
        return received.toString();
      });
      return { ...connection, answer };
    });
    await eventually('the excess is answered', boundMs, () => answered > 10);
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const small = server.connect();
        small.send(postRequest('/', 'hello', 'Connection: close').slice(0, -2));
        await delay(50);
        small.send('lo');
        expect((await small.closed()).toString()).to.match(/^HTTP\/1\.1 200 [^]*\r\n\r\n5$/);
      }),
    );
    for (const { send } of connections) send('x'.repeat(1_000));
    const answers = await Promise.all(connections.map(({ answer }) => answer));
    const served = answers.filter((answer) => answer.endsWith(`\r\n\r\n${bodyBytes}`));
    const overloaded = /^HTTP\/1\.1 503 [^]*\r\nConnection: close\r\n[^]*"Overloaded"/;
    expect(answers.filter((answer) => overloaded.test(answer))).to.have.length(clients - served.length);
    expect(served.length * bodyBytes).to.be.within(40_000_000, maxBodiesBytes + 20_000_000);
  });

  it('count in the queue, too', async () => {
    let shed = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const server = await startPlainServer((_, response) => released.then(() => response.end()), {
      maxInFlight: 1,
      maxWaitMs: 60_000,
      observer: { requestShed: () => (shed += 1) },
    });
    // No deadline passes while the clock is stopped.
    mock.method(performance, 'now', () => 0);
    const connections = Array.from({ length: 1_200 }, () => server.connect());
    // Node pauses a connection after about 80 kB of a body that the listener does not read.
    for (const { send } of connections) send(postRequest('/', 'x'.repeat(100_000)));
    await eventually('the excess is answered', boundMs, () => shed > 100);
    for (const { reset } of connections) reset();
    release();
  });

  it('are shed stalled first, then newest first; small ones, and complete ones as stalled, are not', () => {
    let now = 0;
    mock.method(performance, 'now', () => now);
    const shed: Array<string> = [];
    const body = (name: string, bytes: number, at: number, progress: number | undefined) => {
      let held = bytes;
      const current: HeldBody = {
        arrivedAt: at,
        progressAt: () => progress,
        heldBytes: () => held,
        answer: () => {
          held = 0;
          shed.push(name);
        },
      };
      return { current };
    };
    const half = maxBodiesBytes / 2;
    const connections = [
      body('small and stalled', 4_096, 1, 1),
      body('complete', half, 2, undefined),
      body('stalled', half, 3, 3),
      body('slow', half, 4, 8_500),
      body('new', half, 9_000, 9_000),
      { current: undefined },
    ];
    now = 10_000;
    shedBodies(connections.slice(0, 3));
    expect(shed, 'at the limit').to.deep.equal([]);
    shedBodies(connections.slice(0, 4));
    expect(shed).to.deep.equal(['stalled']);
    shedBodies(connections);
    expect(shed).to.deep.equal(['stalled', 'new']);
  });
});
