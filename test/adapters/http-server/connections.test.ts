import { expect } from 'chai';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Listener } from '../../../adapters/http-server';
import { closeStalledConnections } from '../../../adapters/http-server/memory-limits';
import { testsAtOnce } from '../../support/at-once';
import { collectGarbage } from '../../support/collect-garbage';
import { eventually } from '../../support/eventually';
import { call, keepAliveAgent } from '../../support/http/client';
import { type PlainServer, startPlainServer, stopPlainServers } from '../../support/http/plain-server';
import { getRequest } from '../../support/http/raw-connection';

const boundMs = 20_000;

const answering =
  (body: string | Buffer): Listener =>
  (_, response) => {
    response.end(body);
  };

/** Sends a request that ends its connection, and one byte more. The client keeps its half of the connection open. */
const askForLast = ({ port }: PlainServer): Socket => {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.write(`${getRequest('/', 'Connection: close')}x`);
  return socket;
};

describe('A connection with bytes behind its last request', () => {
  after(stopPlainServers);

  testsAtOnce({
    'closes 5 seconds after the response, even while bytes arrive': async () => {
      const server = await startPlainServer(answering('well'));
      const socket = askForLast(server);
      const began = performance.now();
      const sending = setInterval(() => socket.write('x'), 300);
      await new Promise((resolve) => socket.resume().once('close', resolve));
      clearInterval(sending);
      expect(performance.now() - began).to.be.within(4_500, 10_000);
    },

    'stays open while the client has not received the whole response': async () => {
      // The body exceeds what the kernel buffers on both sides, some megabytes.
      const body = Buffer.alloc(33_554_432, 'x');
      const server = await startPlainServer(answering(body));
      const socket = askForLast(server);
      await delay(2_500);
      let received = 0;
      for await (const chunk of socket) received += String(chunk).length;
      expect(received).to.be.above(body.length);
    },
  });

  it('finishes the response before it lingers', async () => {
    let finishedAt = Infinity;
    const server = await startPlainServer((_, response) => {
      response.once('finish', () => (finishedAt = performance.now()));
      response.end('well');
    });
    const began = performance.now();
    const socket = askForLast(server);
    await once(socket.resume(), 'end');
    await server.stop(0);
    expect(performance.now() - finishedAt, 'time for which it lingers').to.be.above(900);
    expect(finishedAt - began).to.be.below(performance.now() - began - 900);
    socket.destroy();
  });

  for (const { size, what } of [
    { size: 10, what: 'a small response' },
    { size: 60_000, what: 'a response that is written in parts' },
  ]) {
    it(`reads the bytes behind ${what} to the end without parsing`, async () => {
      const server = await startPlainServer((_, response) => {
        response.setHeader('Connection', 'close');
        response.end('x'.repeat(size));
      });
      let parsed = 0;
      const count = (): void => {
        parsed += 1;
      };
      subscribe('http.server.request.start', count);
      try {
        const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true });
        const closed = once(socket, 'close');
        socket.write(getRequest('/').repeat(2));
        await once(socket.resume(), 'end');
        // The requests exceed what the kernel buffers for a server that does not read.
        socket.end(getRequest('/').repeat(500_000));
        await closed;
        expect(parsed).to.equal(1);
      } finally {
        unsubscribe('http.server.request.start', count);
      }
    });
  }
});

describe('Many clients that connect at once', () => {
  after(stopPlainServers);

  it('are all accepted before the first one is served many times', async () => {
    const clients = 200;
    const { address } = await startPlainServer(answering('{}'), { maxInFlight: 128, maxWaitMs: 60_000 });
    const responses = Array.from({ length: clients }, () => 0);
    const askAgain = async (client: number): Promise<void> => {
      const agent = keepAliveAgent();
      while (responses.includes(0)) {
        await call(address, { agent });
        responses[client] = (responses[client] ?? 0) + 1;
      }
      agent.destroy();
    };
    await Promise.all(responses.map((_, client) => askAgain(client)));
    // Without the hold, the busiest client gets half as many responses as there are clients. With it, a third on a busy
    // machine.
    expect(Math.max(...responses), 'responses to the busiest client').to.be.below(0.45 * clients);
  });
});

describe('A client that reads nothing', () => {
  let now = 0;
  let close: ReturnType<typeof closeStalledConnections>;
  beforeEach(() => {
    now = 0;
    mock.method(performance, 'now', () => now);
    close = closeStalledConnections();
  });
  afterEach(() => {
    mock.restoreAll();
  });

  for (const [what, body] of [
    ['a response without a body in pieces', undefined],
    ['a large response', Buffer.alloc(100_000)],
  ] as const) {
    it(`is cut off after 300 seconds: ${what}`, () => {
      const socket = new Socket();
      for (now of [0, 299_999]) close([{ socket, body }]);
      expect(socket.destroyed).to.equal(false);
      now = 300_000;
      close([{ socket, body }]);
      expect(socket.destroyed).to.equal(true);
    });
  }

  it('is cut off sooner while responses hold much memory, the oldest first; a shared body counts once', () => {
    const shared = Buffer.alloc(30_000_000);
    const unread = [0, 1, 2, 3, 4, 5].map((place) => ({
      socket: new Socket(),
      body: place < 3 ? Buffer.alloc(30_000_000) : shared,
    }));
    unread.forEach((_, place) => {
      now = place;
      close(unread.slice(0, place + 1));
    });
    now = 13_000;
    close(unread);
    const destroyed = unread.map((each, place) => (each.socket.destroyed ? place : -1));
    expect(destroyed).to.deep.equal([0, 1, -1, -1, -1, -1]);
  });

  it('is cut off sooner while many small responses hold much memory', () => {
    const unread = Array.from({ length: 1_100 }, () => {
      const socket = new Socket();
      socket.cork();
      socket.write(Buffer.alloc(65_536));
      return { socket, body: undefined };
    });
    close(unread);
    now = 13_000;
    close(unread);
    expect(unread.filter(({ socket }) => !socket.destroyed)).to.have.length(1_024);
  });
});

describe('startHttpServer', () => {
  after(stopPlainServers);

  it('leaves no timer behind if its port is taken', async () => {
    const { port } = await startPlainServer(answering('well'));
    const timers = mock.method(globalThis, 'setInterval');
    const starting = startPlainServer(answering('well'), { port });
    const failure: unknown = await starting.catch((cause: unknown) => cause);
    timers.mock.restore();
    expect(failure).to.have.property('code', 'EADDRINUSE');
    expect(timers.mock.callCount()).to.equal(0);
  });

  it('frees the listener after a stop', async () => {
    const startAndStop = async (): Promise<WeakRef<Listener>> => {
      const listener = answering('well');
      const { address, stop } = await startPlainServer(listener);
      await (await fetch(address)).text();
      await stop(0);
      return new WeakRef(listener);
    };
    const listener = await startAndStop();
    await eventually('it is collected', boundMs, () => {
      collectGarbage();
      return listener.deref() === undefined;
    });
  });
});
