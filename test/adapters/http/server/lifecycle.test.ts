import { expect } from 'chai';
import { once } from 'node:events';
import { connect as connectTo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { deadlineOf } from '../../../../adapters/http/server/server';
import { serverTimeouts } from '../../../../adapters/http/server/timeouts';
import { eventually } from '../../../support/eventually';
import { startPlainServer, statusesIn, stopPlainServers } from '../../../support/http/plain-server';
import { getRequest, postRequest } from '../../../support/http/raw-connection';

const boundMs = 20_000;

/** Defines tests that run at the same time, because each waits seconds for a time limit. Each reports its own failure. */
const testsAtOnce = (tests: Readonly<Record<string, () => Promise<void>>>): void => {
  const runs = new Map<string, Promise<void>>();
  before(() => {
    for (const [title, run] of Object.entries(tests)) {
      const running = run();
      // Prevents an unhandled rejection, which would end the process before the test awaits its promise.
      running.catch(() => undefined);
      runs.set(title, running);
    }
  });
  for (const title of Object.keys(tests)) it(title, () => runs.get(title));
};

const never = new Promise<never>(() => undefined);

describe('The deadline of a request', () => {
  after(stopPlainServers);

  testsAtOnce({
    'is answered by the server if the listener hangs, also behind a pipelined request': async () => {
      const { connect } = await startPlainServer((request, response) =>
        request.url === '/hang' ? never : response.end('well'),
      );
      const connection = connect();
      const began = performance.now();
      connection.send(getRequest('/') + getRequest('/hang') + getRequest('/'));
      const received = await connection.closed();
      expect(statusesIn(received)).to.deep.equal([200, 503]);
      expect(received.toString()).to.contain('"_tag":"Unavailable"');
      expect(performance.now() - began).to.be.above(serverTimeouts.responseMs - 500);
    },

    'ends a request whose body the listener never reads': async () => {
      const { exchange } = await startPlainServer(() => never);
      expect(statusesIn(await exchange(postRequest('/', 'hello')))).to.deep.equal([503]);
    },

    'leaves no effect to a listener that answers later, whether the client is still connected or not':
      async () => {
        let late = 0;
        const { port } = await startPlainServer(async (request, response) => {
          await once(request.socket, request.url === '/connected' ? 'finish' : 'close');
          response.setHeader('X-Late', 'yes');
          response.writeHead(200, { 'X-Late': 'yes' });
          response.write('late');
          response.end('late');
          late += 1;
        });
        for (const path of ['/connected', '/gone']) {
          const socket = connectTo({ host: '127.0.0.1', port, allowHalfOpen: true });
          socket.on('error', () => undefined);
          socket.write(getRequest(path));
          const received = await buffer(socket);
          expect(statusesIn(received), path).to.deep.equal([503]);
          expect(received.toString()).to.not.match(/late/i);
          socket.destroy();
        }
        await eventually('the listener has ended', boundMs, () => late === 2);
      },

    'moves while the body arrives': async () => {
      const body = 'x'.repeat(20);
      let remainingMs = 0;
      const { connect } = await startPlainServer(async (request, response) => {
        await text(request);
        remainingMs = (deadlineOf(request) ?? NaN) - performance.now();
        response.end('well');
      });
      const connection = connect();
      connection.send(postRequest('/', body, 'Connection: close').slice(0, -10));
      await delay(5_500);
      connection.send(body.slice(-10));
      expect(statusesIn(await connection.closed())).to.deep.equal([200]);
      expect(remainingMs).to.be.within(serverTimeouts.responseMs - 500, serverTimeouts.responseMs);
    },
  });
});

describe('A request that the listener fails to answer', () => {
  after(stopPlainServers);

  it("closes only its own client's connection", async () => {
    const { address } = await startPlainServer((request, response) => {
      if (request.url === '/throws') throw new Error('a mistake of the listener');
      if (request.url === '/rejects') return Promise.reject(new Error('a mistake of the listener'));
      if (request.url === '/unwritable') return response.writeHead(200, { 'X-Broken': 'a\r\nb' }).end('well');
      return response.end('well');
    });
    const ask = (path: string): Promise<string> =>
      fetch(`${address}${path}`)
        .then((response) => response.text())
        .catch(() => 'cut off');
    const answers = [await ask('/throws'), await ask('/rejects'), await ask('/unwritable'), await ask('/')];
    expect(answers).to.deep.equal(['cut off', 'cut off', 'cut off', 'well']);
  });
});
