import { expect } from 'chai';
import { connect as connectTo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import {
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../../support/http/plain-server';
import { getRequest, postRequest } from '../../../support/http/raw-connection';

const head = (length: number, path = '/'): string =>
  postRequest(path, '').replace('Length: 0', `Length: ${length}`);

describe("A response before the end of its request's body", () => {
  let server: PlainServer;
  before(async () => {
    server = await startPlainServer(async (request, response) => {
      if (request.url === '/echo') request.pipe(response);
      else if (request.url === '/read') response.end(await text(request));
      else if (request.url === '/implicit') {
        response.statusCode = 401;
        response.end('unauthorized');
      } else response.writeHead(401).end('unauthorized');
    });
  });
  after(stopPlainServers);

  it('ends the connection, and parses no further request', async () => {
    const connection = server.connect();
    connection.send(`${head(60_000, '/implicit')}${'x'.repeat(30_000)}`);
    await connection.received(
      / 401 [^]*\r\nConnection: close\r\n[^]*Content-Length: 12\r\n[^]*\r\n\r\nunauthorized$/,
    );
    // The rest of the body contains two requests, as after a proxy that mixed up requests.
    connection.send(`${'x'.repeat(30_000)}${getRequest('/').repeat(2)}`);
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
  });

  it('leaves the connection open if the body has arrived, read or not', async () => {
    const connection = server.connect();
    connection.send(postRequest('/', 'hello') + head(10, '/read') + 'hello');
    connection.send('world');
    await connection.received(/helloworld/);
    connection.send(getRequest('/', 'Connection: close'));
    expect(statusesIn(await connection.closed())).to.deep.equal([401, 200, 401]);
  });

  it('leaves the rest of the body to a listener that reads it', async () => {
    const connection = server.connect();
    connection.send(head(200_000, '/echo'));
    connection.send('x'.repeat(100_000));
    await connection.received(/x{1000}/);
    connection.send('x'.repeat(99_999) + 'y' + getRequest('/'));
    const received = await connection.closed();
    expect(statusesIn(received)).to.deep.equal([200]);
    expect(received.toString().match(/[xy]/g)?.length).to.be.at.least(200_000);
    expect(received.toString()).to.match(/y\r\n0\r\n\r\n$/);
  });

  it('reaches a client that sends 900 kB before it reads', async () => {
    const bytes = 900_000;
    for (let round = 0; round < 5; round += 1) {
      const socket = connectTo({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
      socket.write(head(bytes));
      for (let sent = 0; sent < bytes; sent += 100_000) {
        await new Promise((resolve) => socket.write(Buffer.alloc(100_000, 'x'), resolve));
      }
      expect(statusesIn(await buffer(socket))).to.deep.equal([401]);
    }
  });

  it('closes the connection of a client that goes on sending', async () => {
    const connection = server.connect();
    connection.send(head(100_000_000));
    await connection.received(/unauthorized/);
    const sending = setInterval(() => {
      connection.send(Buffer.alloc(100_000, 'x'));
    }, 10);
    const received = await connection.closed();
    clearInterval(sending);
    expect(statusesIn(received)).to.deep.equal([401]);
  });
});
