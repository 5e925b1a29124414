import { expect } from 'chai';
import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import { eventually } from '../../../support/eventually';
import { isRefused } from '../../../support/http/client';
import {
  bodyOf,
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../../support/http/plain-server';
import { getRequest, headOf, postRequest } from '../../../support/http/raw-connection';
import { fakeTimeouts } from '../../../support/fake-timers';

const boundMs = 20_000;

/** Bytes that Node reads from a socket at a time. */
const readBytes = 65_536;

const largeBytes = 8_000_000;

const bodies = Array.from({ length: 20 }, (_, place) => `${place}`.padEnd(14_000, 'x'));
const creates = bodies.map((body) => postRequest('/', body)).join('');

describe('Requests that wait for the responses before them', () => {
  let server: PlainServer;
  let begun: Array<string>;
  let sockets: Set<Socket>;
  let release: () => void;
  let endLarge: () => void;

  beforeEach(async () => {
    begun = [];
    sockets = new Set();
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    server = await startPlainServer(async (request, response) => {
      sockets.add(request.socket);
      begun.push(await bodyOf(request));
      if (request.url === '/large') {
        response.writeHead(200, { 'Content-Length': largeBytes }).write('x');
        endLarge = () => response.end(Buffer.alloc(largeBytes - 1, 'x'));
        return;
      }
      await released;
      response.end('well');
    });
  });
  afterEach(() => {
    mock.reset();
    release();
    return stopPlainServers();
  });

  const untilBegun = (count: number): Promise<void> =>
    eventually(`${count} requests have begun`, boundMs, () => begun.length >= count);

  it('are answered in order, however many bytes they have', async () => {
    const connection = server.connect();
    connection.send(creates + getRequest('/', 'Connection: close'));
    await untilBegun(1);
    release();
    expect(statusesIn(await connection.closed())).to.deep.equal(Array<number>(21).fill(200));
    expect(begun).to.deep.equal([...bodies, '']);
  });

  it('stay in the kernel beyond the bytes that the server has read at once', async () => {
    const connection = server.connect();
    for (let sent = 0; sent < 20; sent += 1) connection.send(creates);
    await untilBegun(1);
    // Gives the service time to read more of the first connection. It handles events in order of arrival, so it could
    // do so before it answers each of these connections.
    for (let probe = 0; probe < 3; probe += 1) {
      const other = server.connect();
      other.send(headOf('BROKEN'));
      await other.closed();
    }
    const read = [...sockets].map(({ bytesRead }) => bytesRead);
    expect(Math.max(...read)).to.be.within(1, 3 * readBytes);
    connection.destroy();
  });

  for (const count of [1, 20]) {
    it(`are answered if the client has half-closed the connection behind ${count}`, async () => {
      const connection = server.connect();
      connection.send(postRequest('/', bodies[0] ?? '').repeat(count));
      connection.end();
      await untilBegun(1);
      release();
      expect(statusesIn(await connection.closed())).to.deep.equal(Array<number>(count).fill(200));
    });
  }

  it('are received if their bodies come late', async () => {
    const connection = server.connect();
    const late = postRequest('/', 'hello world', 'Connection: close');
    connection.send(getRequest('/') + late.slice(0, -6));
    await untilBegun(1);
    release();
    await connection.received(/ 200 /);
    connection.send(' world');
    expect(statusesIn(await connection.closed())).to.deep.equal([200, 200]);
    expect(begun).to.deep.equal(['', 'hello world']);
  });

  it('are dropped by a stop, which sends the response before them whole', async () => {
    const connection = server.connect();
    connection.send(getRequest('/') + getRequest('/large') + creates);
    await untilBegun(1);
    release();
    await untilBegun(2);
    const stopped = server.stop(0);
    endLarge();
    await stopped;
    const received = await connection.closed();
    expect(statusesIn(received)).to.deep.equal([200, 200]);
    expect(received.length).to.be.above(largeBytes);
    expect(begun).to.deep.equal(['', '']);
  });

  it('do not delay a stop', async () => {
    const connection = server.connect();
    connection.send(creates);
    await untilBegun(1);
    const began = performance.now();
    const stopped = server.stop(0);
    await eventually('the server accepts no connection', boundMs, () => isRefused(server.address));
    release();
    await stopped;
    expect(performance.now() - began).to.be.below(5_000);
    expect(statusesIn(await connection.closed())).to.deep.equal([200]);
    expect(begun).to.deep.equal(bodies.slice(0, 1));
  });

  it('are answered however their bytes are divided into packets', async () => {
    const chunked = `${headOf('POST / HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked')}2\r\n\r\n\r\n0\r\n\r\n`;
    const requests = postRequest('/', 'one') + chunked + getRequest('/') + postRequest('/', '\r\n\r\n');
    release();
    const lengths = Array.from({ length: requests.length }, (_, place) => place + 1);
    for (const length of lengths) {
      const connection = server.connect();
      connection.send(requests.slice(0, length));
      await new Promise(setImmediate);
      connection.send(requests.slice(length) + getRequest('/', 'Connection: close'));
      expect(statusesIn(await connection.closed()), `first packet of ${length} bytes`).to.have.length(5);
    }
    const expected = lengths.flatMap(() => ['one', '\r\n', '', '\r\n\r\n', '']);
    expect(begun).to.deep.equal(expected);
  });

  it('are not parsed while another request is running', async () => {
    const parsed = mock.fn();
    subscribe('http.server.request.start', parsed);
    const connection = server.connect();
    connection.send(getRequest('/').repeat(1_000) + getRequest('/', 'Connection: close'));
    await untilBegun(1);
    const parsedWhileRunning = parsed.mock.callCount();
    release();
    await connection.closed();
    unsubscribe('http.server.request.start', parsed);
    expect(parsedWhileRunning).to.equal(1);
    expect(parsed.mock.callCount()).to.equal(1_001);
  });

  it('are discarded behind a rejected one, up to 8 MB and for a second', async () => {
    release();
    const connection = server.connect();
    connection.send(getRequest('/'));
    await connection.received(/well/);
    const [socket] = sockets;
    if (socket === undefined) throw new Error('no request has begun');
    fakeTimeouts();
    connection.send(getRequest('/', 'Host: b') + ' '.repeat(30_000_000));
    await once(socket, 'pause');
    expect(socket.bytesRead).to.be.within(8_000_000, 8_500_000);
    mock.timers.tick(999);
    expect(socket.destroyed).to.equal(false);
    mock.timers.tick(1);
    expect(socket.destroyed).to.equal(true);
    expect(statusesIn(await connection.closed())).to.deep.equal([200, 400]);
  });
});
