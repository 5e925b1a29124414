import { expect } from 'chai';
import { connect as connectTo } from 'node:net';
import { mock } from 'node:test';
import { buffer } from 'node:stream/consumers';
import type { HttpServer } from '../../../../adapters/http/server/server';
import { statusesIn } from '../../../support/http/plain-server';
import {
  connectTo as connectBytes,
  getRequest,
  headOf,
  postRequest,
} from '../../../support/http/raw-connection';
import { startServer } from '../../../support/http/start-server';
import { fakeTimeouts } from '../../../support/fake-timers';

/** Head of a create without a key, which gets a 401 before its body is read. */
const head = (length: number, ...headers: ReadonlyArray<string>): string =>
  headOf('POST /v1/pets HTTP/1.1', 'Host: a', `Content-Length: ${length}`, ...headers);

describe("A reply before the end of its request's body", () => {
  let server: HttpServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.stop(0));

  it('is sent once the body has arrived, and leaves the connection open', async () => {
    const connection = connectBytes(server.address);
    connection.send(`${head(60_000)}${'x'.repeat(30_000)}`);
    connection.send('x'.repeat(30_000));
    await connection.received(/ 401 [^]*\r\nConnection: keep-alive\r\n/);
    connection.send(getRequest('/livez', 'Connection: close'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401, 200]);
  });

  it('ends the connection after a second without the rest, which is never taken for a request', async () => {
    const connection = connectBytes(server.address);
    const began = performance.now();
    connection.send(`${head(60_000)}${'x'.repeat(30_000)}`);
    await connection.received(/ 401 [^]*\r\nConnection: close\r\n/);
    expect(performance.now() - began).to.be.within(900, 3_500);
    connection.send(`${'x'.repeat(30_000)}${getRequest('/livez').repeat(2)}`);
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
  });

  for (const [length, connectionHeader] of [
    [8_000_000, 'keep-alive'],
    [8_100_000, 'close'],
  ] as const) {
    it(`waits for at most 8 MB: ${connectionHeader} after ${length} bytes`, async () => {
      fakeTimeouts();
      const connection = connectBytes(server.address);
      connection.send(`${head(length)}${'x'.repeat(length)}`);
      await connection.received(new RegExp(` 401 [^]*\\r\\nConnection: ${connectionHeader}\\r\\n`));
      mock.reset();
      connection.destroy();
    });
  }

  it('takes no part of the body for a request', async () => {
    const connection = connectBytes(server.address);
    const smuggled = getRequest('/livez').repeat(2);
    connection.send(`${head(smuggled.length + 1_000)}${smuggled}`);
    connection.send('x'.repeat(1_000) + getRequest('/readyz', 'Connection: close'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401, 200]);
  });

  it('comes at once, without a 100 (Continue), to a client that waits for one, and ends the connection', async () => {
    const connection = connectBytes(server.address);
    const began = performance.now();
    connection.send(head(60_000, 'Expect: 100-continue'));
    const received = await connection.closed();
    expect(received.toString()).to.match(/^HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n/);
    expect(performance.now() - began).to.be.below(900);
  });

  it('leaves the connection open if the body came with its head', async () => {
    const connection = connectBytes(server.address);
    connection.send(postRequest('/v1/pets', 'hello') + getRequest('/livez', 'Connection: close'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401, 200]);
  });

  it('is the only one, whatever the rest of the body does', async () => {
    const connection = connectBytes(server.address);
    connection.send(headOf('POST /v1/pets HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked') + 'zzz\r\n');
    expect(statusesIn(await connection.closed())).to.have.length(1);
  });

  it('reaches a client that sends 4 MB before it reads, as a proxy does', async () => {
    const bytes = 4_000_000;
    const { port } = new URL(server.address);
    for (let round = 0; round < 5; round += 1) {
      const socket = connectTo({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true });
      socket.write(head(bytes, 'Connection: close'));
      for (let sent = 0; sent < bytes; sent += 100_000) {
        await new Promise((resolve) => socket.write(Buffer.alloc(100_000, 'x'), resolve));
      }
      expect(statusesIn(await buffer(socket))).to.deep.equal([401]);
    }
  });

  it('ends the connection of a client that goes on sending', async () => {
    const connection = connectBytes(server.address);
    connection.send(head(100_000_000));
    const sending = setInterval(() => {
      connection.send(Buffer.alloc(100_000, 'x'));
    }, 10);
    const received = await connection.closed();
    clearInterval(sending);
    expect(statusesIn(received)).to.have.length.at.most(1);
  });
});
