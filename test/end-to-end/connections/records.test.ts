import { expect } from 'chai';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { RejectionRecord, Reporter, RequestRecord } from '../../../adapters/http';
import { eventually } from '../../support/eventually';
import { key, overloadedServer, silentReporter, startServer } from '../../support/http/start-server';
import {
  connectTo,
  exchangeBytes,
  getRequest,
  postRequest,
  rawExchange,
} from '../../support/http/raw-connection';

describe('The record of a request', () => {
  it('has the time until the response is sent, without the lingering close', async () => {
    const ended: Array<RequestRecord> = [];
    const server = await startServer({
      reporter: { ...silentReporter, requestEnded: (record) => ended.push(record) },
    });
    const { hostname, port } = new URL(server.address);
    // The client does not half-close its connection, so the server lingers for a second.
    const began = performance.now();
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.resume().write(postRequest('/v1/pets', 'the beginning and the end').slice(0, -12));
    await eventually('it is recorded', 20_000, () => ended.length > 0);
    expect(ended.map(({ status, code }) => [status, code])).to.deep.equal([[401, 'unauthorized']]);
    await server.stop(0);
    expect(ended[0]?.milliseconds).to.be.below(performance.now() - began - 900);
    socket.destroy();
  });

  it('includes the time in the queue', async () => {
    const ended: Array<RequestRecord> = [];
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = 0;
    const list = () => async () => {
      asked += 1;
      await released;
      return { _tag: 'Right', right: { pets: [], hasMore: false } } as const;
    };
    const reporter: Reporter = { ...silentReporter, requestEnded: (record) => ended.push(record) };
    const server = await startServer({ pets: { list }, reporter }, { maxInFlight: 1 });
    const ask = () => fetch(`${server.address}/v1/pets`, { headers: { Authorization: `Bearer ${key}` } });
    const answers = [ask(), ask()];
    await eventually('the first is asked for', 20_000, () => asked === 1);
    await delay(100);
    release();
    for (const answer of answers) expect((await answer).status).to.equal(200);
    await eventually('both are recorded', 20_000, () => ended.length === 2);
    for (const { milliseconds } of ended) expect(milliseconds).to.be.above(90);
    await server.stop(0);
  });

  it('has the status and code of a rejection before the application', async () => {
    const rejected: Array<RejectionRecord> = [];
    const service = await overloadedServer({
      reporter: { ...silentReporter, requestRejected: (record) => rejected.push(record) },
    });
    await exchangeBytes(service.address, 'no HTTP\r\n\r\n');
    const [traceId, parentId] = ['1'.repeat(32), '2'.repeat(16)];
    const traceparent = `traceparent: 00-${traceId}-${parentId}-01`;
    await exchangeBytes(service.address, getRequest('/v1/pets', traceparent, 'Connection: close'));
    await service.stop();
    expect(rejected.at(-1)).to.deep.include({ status: 503, trace: { traceId, parentId } });
    const kinds = new Set(rejected.map(({ status, code }) => `${status} ${code ?? ''}`));
    expect(kinds).to.deep.equal(new Set(['503 unavailable', '400 malformed_request']));
  });
});

describe('A connection without a request', () => {
  it('is closed without a 408, which a client could take for the response to its first request', async () => {
    const rejected: Array<RejectionRecord> = [];
    const server = await startServer({
      reporter: { ...silentReporter, requestRejected: (record) => rejected.push(record) },
    });
    const received = await connectTo(server.address).closed();
    await server.stop(0);
    expect([received.toString(), rejected]).to.deep.equal(['', []]);
  });
});

describe('An overloaded service', () => {
  it('answers liveness checks at exactly /livez', async () => {
    const { address, stop } = await overloadedServer();
    const statusOf = async (target: string) =>
      (await rawExchange(address, getRequest(target, 'Connection: close'))).status;
    try {
      for (const target of ['/livez', 'http://h/livez']) expect(await statusOf(target), target).to.equal(200);
      for (const target of ['/v1/../livez', 'http://h/v1/../livez', 'http://h/%2e/livez']) {
        expect(await statusOf(target), target).to.equal(503);
      }
    } finally {
      await stop();
    }
  });
});
