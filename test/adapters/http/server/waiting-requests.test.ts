import { expect } from 'chai';
import type { Socket } from 'node:net';
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
        response.end(Buffer.alloc(largeBytes, 'x'));
        return;
      }
      await released;
      response.end('well');
    });
  });
  afterEach(() => {
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
    // The service handles new connections and bytes in order of arrival.
    for (let probe = 0; probe < 3; probe += 1) {
      const other = server.connect();
      other.send(headOf('BROKEN'));
      await other.closed();
    }
    const read = [...sockets].map(({ bytesRead }) => bytesRead);
    expect(Math.max(...read)).to.be.within(1, 3 * readBytes);
    connection.destroy();
  });

  it('are answered if the client has half-closed the connection', async () => {
    const connection = server.connect();
    connection.send(creates);
    connection.end();
    await untilBegun(1);
    release();
    expect(statusesIn(await connection.closed())).to.deep.equal(Array<number>(20).fill(200));
  });

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
    await server.stop(0);
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

  it('end the connection if more than 100 follow a rejected request', async () => {
    const ended: Array<number> = [];
    const closed = [10, 1_000].map(async (count) => {
      const connection = server.connect();
      connection.send(getRequest('/', 'Host: b') + getRequest('/').repeat(count));
      await connection.closed();
      ended.push(count);
    });
    await Promise.all(closed);
    expect(ended, 'the order in which the connections ended').to.deep.equal([1_000, 10]);
    expect(begun).to.deep.equal([]);
  });
});
