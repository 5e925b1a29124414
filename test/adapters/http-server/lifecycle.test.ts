import { expect } from 'chai';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { arrivedAt, deadlineOf, readBody, type ShedRequest } from '../../../adapters/http-server';
import { serverTimeouts } from '../../../core/timeouts';
import { testsAtOnce } from '../../support/at-once';
import { eventually } from '../../support/eventually';
import {
  errorResponse,
  startPlainServer,
  statusesIn,
  stopPlainServers,
} from '../../support/http/plain-server';
import { getRequest, postRequest } from '../../support/http/raw-connection';

/** Extra time for a busy machine. */
const spareMs = 10_000;

const never = new Promise<never>(() => undefined);

/** Starts a server whose listener hangs at /hang, and which records the calls of the observer. */
const start = async (options: Parameters<typeof startPlainServer>[1] = {}) => {
  const shed: Array<ShedRequest> = [];
  let started = 0;
  let running = 0;
  const server = await startPlainServer(
    async (request, response) => {
      running += 1;
      if (request.url === '/hang') await never;
      response.end('well');
    },
    {
      observer: {
        requestStarted: () => (started += 1),
        requestShed: (record) => shed.push(record),
      },
      ...options,
    },
  );
  return { ...server, shed, started: () => started, running: () => running };
};

const fetchStatus = async (address: string, method = 'GET'): Promise<number> =>
  (await fetch(address, { method })).status;

describe('The deadline of a request', () => {
  after(stopPlainServers);

  testsAtOnce({
    'is answered by the server if the listener hangs, and frees the slot': async () => {
      const { address, shed } = await start({ maxInFlight: 1 });
      const began = performance.now();
      const response = await fetch(`${address}/hang`);
      expect([response.status, await response.json()]).to.deep.equal([503, { _tag: 'DeadlineExceeded' }]);
      expect(performance.now() - began).to.be.within(serverTimeouts.responseMs - 500, 5_000 + spareMs);
      expect(await fetchStatus(address)).to.equal(200);
      expect(shed, 'requests that the listener has not seen').to.deep.equal([]);
    },

    'frees the slot if the client has left': async () => {
      const { address, connect, running, started, shed } = await start({ maxInFlight: 1 });
      const connection = connect();
      connection.send(getRequest('/hang'));
      await eventually('it runs', spareMs, () => running() > 0);
      connection.reset();
      const queued = connect();
      queued.send(getRequest('/'));
      await eventually('the second request is queued', spareMs, () => started() === 2);
      queued.reset();
      await eventually('the queued client has left', spareMs, () => shed.length > 0);
      expect(
        shed.map(({ status, failure, wasStarted, request }) => [
          status,
          failure,
          wasStarted,
          request.socket.remoteAddress,
        ]),
      ).to.deep.equal([[499, undefined, true, '127.0.0.1']]);
      await eventually('others are served', spareMs, async () => (await fetchStatus(address)) === 200);
    },

    'stays the same once the client has left': async () => {
      const deadlines: Array<number | undefined> = [];
      const { connect } = await startPlainServer(async (request, response) => {
        deadlines.push(deadlineOf(request));
        await once(response, 'close');
        await delay(10);
        deadlines.push(deadlineOf(request));
      });
      const connection = connect();
      connection.send(getRequest('/'));
      await eventually('it runs', spareMs, () => deadlines.length === 1);
      connection.reset();
      await eventually('the client has left', spareMs, () => deadlines.length === 2);
      expect(deadlines[0]).to.be.a('number');
      expect(deadlines[1]).to.equal(deadlines[0]);
    },

    'moves while the body arrives, whoever reads it': async () => {
      const body = 'x'.repeat(20);
      const deadlines: Array<number | undefined> = [];
      const { connect } = await startPlainServer(async (request, response) => {
        if (request.url === '/stream') for await (const chunk of request) expect(chunk).to.have.length(10);
        else await readBody(request, 100);
        deadlines.push((deadlineOf(request) ?? NaN) - (arrivedAt(request) ?? NaN));
        response.end('well');
      });
      const answers = ['/', '/stream'].map(async (path) => {
        const connection = connect();
        connection.send(postRequest(path, body, 'Connection: close').slice(0, -10));
        await delay(5_500);
        connection.send(body.slice(-10));
        return statusesIn(await connection.closed());
      });
      expect(await Promise.all(answers)).to.deep.equal([[200], [200]]);
      for (const deadline of deadlines) expect(deadline).to.be.above(serverTimeouts.responseMs + 5_000);
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

describe('Reads and writes', () => {
  after(stopPlainServers);

  const otherRunsWhileHanging = async (hanging: string, other: string): Promise<void> => {
    const { address, running } = await start({ maxInFlight: 2 });
    const waiting = Array.from({ length: 10 }, () => fetch(`${address}/hang`, { method: hanging }));
    await eventually('all slots of one kind are taken', spareMs, () => running() === 2);
    expect(await fetchStatus(address, other)).to.equal(200);
    expect(running()).to.equal(3);
    await Promise.all(waiting);
  };

  testsAtOnce({
    'have separate slots: GET runs while every POST hangs': () => otherRunsWhileHanging('POST', 'GET'),
    'have separate slots: POST runs while every GET hangs': () => otherRunsWhileHanging('GET', 'POST'),
    'have separate slots: HEAD runs while every DELETE hangs': () => otherRunsWhileHanging('DELETE', 'HEAD'),
  });
});

describe('An overloaded server', () => {
  after(stopPlainServers);

  it('rejects with the given response, tells the observer, and serves requests that are always admitted', async () => {
    const { address, shed, started } = await start({
      maxInFlight: 1,
      maxWaitMs: 1,
      isAlwaysAdmitted: ({ url }) => url === '/livez',
      errorResponse: (failure, request) => ({
        ...errorResponse(failure),
        headers: { 'X-Asked': String(request.url), 'Retry-After': '1' },
      }),
    });
    const waiting: Array<Promise<Response>> = [];
    await eventually('requests are rejected', spareMs, () => {
      waiting.push(fetch(`${address}/hang`));
      return shed.length > 0;
    });
    const rejected = await fetch(`${address}/other`);
    expect([
      rejected.status,
      rejected.headers.get('x-asked'),
      rejected.headers.get('retry-after'),
    ]).to.deep.equal([503, '/other', '1']);
    expect(rejected.headers.get('connection')).to.equal('keep-alive');
    expect(await rejected.json()).to.deep.equal({ _tag: 'Overloaded' });
    const head = await fetch(address, { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([503, '']);
    expect(await fetchStatus(`${address}/livez`)).to.equal(200);
    await Promise.all(waiting);
    const last = shed.find(({ request }) => request.url === '/other');
    expect([last?.status, last?.failure, last?.wasStarted]).to.deep.equal([
      503,
      { _tag: 'Overloaded' },
      false,
    ]);
    expect(started() + shed.filter(({ wasStarted }) => !wasStarted).length).to.equal(waiting.length + 3);
  });
});
