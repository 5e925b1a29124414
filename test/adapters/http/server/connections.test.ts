import { expect } from 'chai';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mock } from 'node:test';
import type { Listener } from '../../../../adapters/http/server/server-state';
import { eventually } from '../../../support/eventually';
import { startPlainServer, statusesIn, stopPlainServers } from '../../../support/http/plain-server';
import { getRequest, headOf, postRequest } from '../../../support/http/raw-connection';

const boundMs = 20_000;

const answering =
  (body: string | Buffer): Listener =>
  (_, response) => {
    response.end(body);
  };

describe('A client that does not read', () => {
  const sockets: Array<Socket> = [];

  const askWithoutReading = async (port: number): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write(getRequest('/', 'Connection: close'));
    await once(socket, 'readable');
    return socket;
  };

  const receivedBytes = async (socket: Socket): Promise<number> => {
    let bytes = 0;
    try {
      for await (const chunk of socket) bytes += String(chunk).length;
    } catch {
      // The server has reset the connection.
    }
    return bytes;
  };

  /** Lets the server check twice how much clients have read, so that it finds the clients that have read nothing. */
  const sweepTwice = (): void => {
    mock.timers.tick(1_000);
  };

  beforeEach(() => {
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(async () => {
    mock.reset();
    for (const socket of sockets.splice(0)) socket.destroy();
    await stopPlainServers();
  });

  it('gets its whole response if it reads later', async () => {
    // The body is larger than the kernel's buffers on both sides, which hold some megabytes.
    const body = Buffer.alloc(33_554_432, 'x');
    const { port } = await startPlainServer(answering(body));
    const socket = await askWithoutReading(port);
    sweepTwice();
    expect(await receivedBytes(socket)).to.be.above(body.length);
  });

  it('is disconnected first of all while unread responses take more than 256 MB', async () => {
    const body = Buffer.alloc(100_000_000, 'x');
    let served = 0;
    const { port } = await startPlainServer((_, response) => {
      served += 1;
      response.end(body);
    });
    const first = await askWithoutReading(port);
    sweepTwice();
    const others = [await askWithoutReading(port), await askWithoutReading(port)];
    await eventually('all are served', boundMs, () => served === 3);
    sweepTwice();
    expect(await receivedBytes(first)).to.be.below(body.length);
    for (const socket of others) expect(await receivedBytes(socket)).to.be.above(body.length);
  });
});

describe('startHttpServer', () => {
  after(stopPlainServers);

  it('refuses connections above the maximum, and serves the others', async () => {
    let refused = 0;
    const { connect: open } = await startPlainServer(answering('well'), {
      maxConnections: 2,
      onConnectionRefused: () => (refused += 1),
    });
    const kept = [open(), open()];
    for (const connection of kept) {
      connection.send(getRequest('/'));
      await connection.received(/well/);
    }
    expect((await open().closed()).toString()).to.equal('');
    expect(refused).to.equal(1);
    for (const connection of kept) {
      connection.send(getRequest('/', 'Connection: close'));
      expect(statusesIn(await connection.closed())).to.deep.equal([200, 200]);
    }
    const later = open();
    later.send(getRequest('/', 'Connection: close'));
    expect(statusesIn(await later.closed())).to.deep.equal([200]);
  });

  it('announces when it closes idle connections, and then closes them', async () => {
    const { connect: open } = await startPlainServer(answering('well'), { idleSeconds: 1 });
    const connection = open();
    connection.send(getRequest('/'));
    const received = await connection.closed();
    expect(received.toString()).to.match(/^HTTP\/1\.1 200 [^]*\r\nConnection: keep-alive\r\n/);
    expect(received.toString()).to.contain('\r\nKeep-Alive: timeout=1\r\n');
  });

  it('answers a request that takes longer than a connection may be idle', async () => {
    const { exchange } = await startPlainServer(
      (_request, response) => setTimeout(() => response.end('well'), 2_500),
      { idleSeconds: 1 },
    );
    expect(statusesIn(await exchange(getRequest('/', 'Connection: close')))).to.deep.equal([200]);
  });

  for (const [what, request] of [
    ['that asks to close', getRequest('/', 'Connection: close')],
    ['in HTTP/1.0', headOf('GET / HTTP/1.0')],
    ['to upgrade', getRequest('/', 'Connection: upgrade', 'Upgrade: h2c')],
  ] as const) {
    it(`announces no time for the last request: one ${what}`, async () => {
      const { exchange } = await startPlainServer(answering('well'));
      expect((await exchange(request)).toString())
        .to.match(/Connection: close/)
        .and.not.contain('Keep-Alive');
    });
  }

  it('sends one 100 (Continue), however often the body is read', async () => {
    const { exchange } = await startPlainServer((request, response) => {
      const bytes: Array<Buffer> = [];
      for (const chunks of [bytes, []]) request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => response.end(Buffer.concat(bytes)));
    });
    const headers = ['Expect: 100-continue', 'Connection: close'];
    expect(statusesIn(await exchange(postRequest('/', 'hello', ...headers)))).to.deep.equal([100, 200]);
  });

  it('leaves no timer behind if its port is taken', async () => {
    const { port } = await startPlainServer(answering('well'));
    const timers = mock.method(globalThis, 'setInterval');
    const starting = startPlainServer(answering('well'), { port });
    const failure: unknown = await starting.catch((cause: unknown) => cause);
    timers.mock.restore();
    expect(failure).to.have.property('code', 'EADDRINUSE');
    expect(timers.mock.callCount()).to.equal(0);
  });
});
