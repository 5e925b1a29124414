import { expect } from 'chai';
import { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Listener, readBody } from '../../../adapters/http-server';
import {
  type PlainServer,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../support/http/plain-server';
import { getRequest, postRequest } from '../../support/http/raw-connection';

class FrameworkRequest extends IncomingMessage {}
class FrameworkResponse extends ServerResponse {}

const large = Buffer.alloc(1_000_000, 'x');

/** Replaces the prototypes of the request and the response, as Express does. */
const listener: Listener = async (request, response) => {
  Object.setPrototypeOf(request, FrameworkRequest.prototype);
  Object.setPrototypeOf(response, FrameworkResponse.prototype);
  response.setHeader('X-Before', 'yes');
  if (request.url === '/large') response.end(large);
  else if (request.url === '/body') response.end(await readBody(request, 1_000));
  else if (request.url === '/late') {
    await delay(4_500);
    response.setHeader('X-Late', 'yes');
    response.writeHead(200, { 'X-Late': 'yes' });
    response.write('late');
    response.end('late');
  } else {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ path: request.url }));
  }
};

describe('A listener that replaces prototypes', () => {
  let server: PlainServer;
  beforeEach(async () => {
    server = await startPlainServer(listener, { maxInFlight: 1 });
  });
  afterEach(stopPlainServers);

  it('answers small and large requests on one connection', async () => {
    const earlier = getRequest('/a') + getRequest('/large') + postRequest('/body', 'hello');
    const received = await server.exchange(earlier + getRequest('/b', 'Connection: close'));
    expect(statusesIn(received)).to.deep.equal([200, 200, 200, 200]);
    expect(received.length).to.be.above(large.length);
    expect(received.toString()).to.match(
      /x-before: yes[^]*\{"path":"\/a"\}[^]*x{9999}[^]*hello[^]*\{"path":"\/b"\}$/i,
    );
  });

  it('reads a late body without a slot', async () => {
    const slow = server.connect();
    slow.send(postRequest('/body', 'hello', 'Connection: close').slice(0, -2));
    const received = await server.exchange(postRequest('/body', 'other', 'Connection: close'));
    expect(statusesIn(received)).to.deep.equal([200]);
    slow.send('lo');
    expect((await slow.closed()).toString()).to.match(/\r\n\r\nhello$/);
  });

  it('is answered for at the deadline, and its later writes have no effect', async () => {
    const connection = server.connect();
    connection.send(getRequest('/late'));
    await connection.received(/DeadlineExceeded/);
    await delay(1_000);
    connection.send(getRequest('/b', 'Connection: close'));
    const received = await connection.closed();
    expect(statusesIn(received)).to.deep.equal([503, 200]);
    expect(received.toString())
      .to.match(/^[^]*?\r\n\r\n\{"_tag":"DeadlineExceeded"\}HTTP/)
      .and.not.match(/late/i);
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
