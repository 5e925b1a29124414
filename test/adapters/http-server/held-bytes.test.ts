import { expect } from 'chai';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../../../adapters/http-server/connection';
import { maxHeldBytes } from '../../../adapters/http-server/received-bytes';
import { eventually } from '../../support/eventually';
import { getRequest, postRequest, startPlainServer, statusesIn } from '../../support/http/plain-server';
import { openRawConnection } from '../../support/http/raw-connection';

const boundMs = 20_000;

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
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const bound = server.address();
    const connect = () =>
      openRawConnection('127.0.0.1', typeof bound === 'object' && bound !== null ? bound.port : 0);
    try {
      const pipelined = getRequest('/').repeat(1_000);
      const first = connect();
      first.send(getRequest('/') + pipelined);
      await eventually('the bytes are held', boundMs, () => held.total > 10_000);
      expect(connections[0]?.mustClose).to.equal(false);
      expect(started).to.have.length(1);
      connections[0]?.closed();
      expect(held.total).to.equal(0);

      held.total = maxHeldBytes + 1;
      connect().send(getRequest('/') + pipelined);
      await eventually('the connection must close', boundMs, () => connections[1]?.mustClose === true);
      expect(held.total).to.equal(maxHeldBytes + 1);
      expect(started, 'the request that runs goes on').to.have.length(2);
      const [, second] = connections;
      second?.finishCurrent();
      await eventually('it ends after the response', boundMs, () => second?.socket.writableEnded === true);
    } finally {
      for (const { socket } of connections) socket.destroy();
      server.close();
    }
  });
});

describe('A malformed body behind a running request', () => {
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
      await server.stop(0);
    });
  }

  it('leaves it alone with a known length, too', async () => {
    const server = await startPlainServer((_, response) => response.end('well'));
    const connection = server.connect();
    connection.send(`${postRequest('/a', 'hello')}POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n`);
    expect(statusesIn(await connection.closed())).to.deep.equal([200, 400]);
    await server.stop(0);
  });
});
