import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Listener } from '../../../adapters/http-server/connection';
import {
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../support/http/plain-server';
import { getRequest, headOf, postRequest } from '../../support/http/raw-connection';

class FrameworkRequest extends IncomingMessage {}
class FrameworkResponse extends ServerResponse {}

const large = Buffer.alloc(1_000_000, 'x');

/** Replaces the prototypes of the request and the response, as Express does. */
const listener: Listener = async (request, response) => {
  Object.setPrototypeOf(request, FrameworkRequest.prototype);
  Object.setPrototypeOf(response, FrameworkResponse.prototype);
  response.setHeader('X-Before', 'yes');
  if (request.url === '/large') response.end(large);
  else if (request.url === '/body') response.end(await text(request));
  else if (request.url === '/early') response.writeHead(401).end('unauthorized');
  else {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ path: request.url }));
  }
};

describe('A listener that replaces prototypes', () => {
  let server: PlainServer;
  before(async () => {
    server = await startPlainServer(listener);
  });
  after(stopPlainServers);

  it('answers small and large requests on one connection', async () => {
    const earlier = getRequest('/a') + getRequest('/large') + postRequest('/body', 'hello');
    const received = await server.exchange(earlier + getRequest('/b', 'Connection: close'));
    expect(statusesIn(received)).to.deep.equal([200, 200, 200, 200]);
    expect(received.length).to.be.above(large.length);
    expect(received.toString()).to.match(
      /x-before: yes[^]*\{"path":"\/a"\}[^]*x{9999}[^]*hello[^]*\{"path":"\/b"\}$/i,
    );
  });

  it('closes the connection after an early response', async () => {
    const connection = server.connect();
    connection.send(postRequest('/early', 'hello').slice(0, -2));
    await connection.received(/HTTP\/1\.1 401 [^]*\r\nConnection: close\r\n[^]*unauthorized/);
    connection.send(`lo${getRequest('/a')}`);
    expect(statusesIn(await connection.closed())).to.deep.equal([401]);
  });

  it('lets the server answer a malformed chunk', async () => {
    const head = headOf('POST /body HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked');
    expect(statusesIn(await server.exchange(`${head}5\r\nhello\r\nzzz\r\n`))).to.deep.equal([400]);
  });
});

it('A small body arrives byte for byte, with a callback at its end', async () => {
  let wasCalledBack = false;
  const { exchange } = await startPlainServer((_request, response) => {
    response.end(Buffer.from('hélló 😀'), () => {
      wasCalledBack = true;
    });
  });
  const received = await exchange(getRequest('/', 'Connection: close'));
  await stopPlainServers();
  expect(received.toString()).to.match(/Content-Length: 12\r\n[^]*hélló 😀$/);
  expect(wasCalledBack).to.equal(true);
});
