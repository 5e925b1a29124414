import { expect } from 'chai';
import { connect as connectTo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { openRawConnection } from '../../support/http/raw-connection';
import { memoryApplication, startServer } from '../../support/http/start-server';

const post = (length: number): string =>
  `POST /v1/pets HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

const live = 'GET /livez HTTP/1.1\r\nHost: a\r\n\r\n';

const statusesIn = (received: Buffer): ReadonlyArray<number> =>
  [...received.toString().matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));

describe("A response before the end of its request's body", () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  const connect = () => {
    const { hostname, port } = new URL(server.address);
    return openRawConnection(hostname, Number(port));
  };
  beforeEach(async () => {
    server = await startServer(memoryApplication());
  });
  afterEach(() => server.stop(0));

  it('ends the connection, and parses no further request', async () => {
    const connection = connect();
    connection.send(`${post(60_000)}${'x'.repeat(30_000)}`);
    await connection.received(/HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n/);
    // The rest of the body contains two requests, as after a proxy that mixed up requests.
    connection.send(`${'x'.repeat(30_000)}${live}${live}`);
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
  });

  it('ends the connection of a chunked body', async () => {
    const connection = connect();
    connection.send('POST /v1/pets HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n');
    await connection.received(/HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n/);
    connection.send(`0\r\n\r\n${live}`);
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
  });

  it('leaves the connection open if the body has arrived', async () => {
    const connection = connect();
    connection.send(`${post(5)}hello`);
    await connection.received(/HTTP\/1\.1 401 /);
    connection.send(live.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401, 200]);
  });

  it('reaches a client that sends 20 MB before it reads', async () => {
    const size = 20_000_000;
    const { hostname, port } = new URL(server.address);
    for (let round = 0; round < 5; round += 1) {
      const socket = connectTo({ host: hostname, port: Number(port), allowHalfOpen: true });
      socket.write(post(size));
      for (let sent = 0; sent < size; sent += 1_000_000) {
        await new Promise((resolve) => socket.write(Buffer.alloc(1_000_000, 'x'), resolve));
      }
      const received = await buffer(socket);
      expect(statusesIn(received)).to.deep.equal([401]);
    }
  });
});
