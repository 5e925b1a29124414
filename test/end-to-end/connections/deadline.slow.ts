import { expect } from 'chai';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { setTimeout as delay } from 'node:timers/promises';
import type { RequestEntry } from '../../../adapters/http';
import type { Deadline } from '../../../core';
import { connectTo, getRequest, headOf } from '../../support/http/raw-connection';
import { byKey, key, silentReporter, startServer } from '../../support/http/start-server';

/** Time within which the service answers each request. */
const promisedMs = 5_000;

/** Extra time for a busy machine. */
const spareMs = 10_000;

const hang = () => new Promise<never>(() => undefined);

describe('The deadline of a request', () => {
  it('gives a 503 within five seconds if key, quota and store are each late', async () => {
    const deadlines: Array<Deadline | undefined> = [];
    const causes: Array<unknown> = [];
    const lateness = 1_500;
    const quota = { requests: 9, seconds: 1, isWithin: true, remaining: 8, resetsInSeconds: 1 };
    const server = await startServer({
      pets: {
        create: (_newPet, { deadline } = {}) => {
          deadlines.push(deadline);
          return hang;
        },
      },
      authenticate: (apiKey, deadline) => {
        deadlines.push(deadline);
        return T.delay(lateness)(byKey(apiKey));
      },
      consumeQuota: (_keyId, deadline) => {
        deadlines.push(deadline);
        return T.delay(lateness)(TE.right(quota));
      },
      reporter: { ...silentReporter, requestFailed: (cause) => causes.push(cause) },
    });
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    try {
      const began = performance.now();
      const body = '{"name":"Rex","categoryId":7}';
      const answer = await fetch(`${server.address}/v1/pets`, { method: 'POST', headers, body });
      expect(answer.status).to.equal(503);
      expect(answer.headers.get('Retry-After')).to.match(/^\d+$/);
      expect(performance.now() - began).to.be.within(3_500, promisedMs + spareMs);
      const areInTime = deadlines.map((deadline = Infinity) => deadline - began < promisedMs);
      expect(areInTime).to.deep.equal([true, true, true]);
      expect(causes).to.have.length(1);
    } finally {
      await server.stop(0);
    }
  });

  it('ends only its own request: a pipelined one behind it is answered', async () => {
    const server = await startServer({ checkReadiness: hang });
    try {
      const connection = connectTo(server.address);
      const began = performance.now();
      connection.send(getRequest('/readyz') + getRequest('/livez', 'Connection: close'));
      const received = (await connection.closed()).toString();
      expect(received).to.match(/^HTTP\/1\.1 503 [^]*HTTP\/1\.1 200 /);
      expect(performance.now() - began).to.be.within(3_500, promisedMs + spareMs);
    } finally {
      await server.stop(0);
    }
  });

  it('does not wait for a body that is not read yet', async () => {
    const server = await startServer({ authenticate: () => hang });
    try {
      const connection = connectTo(server.address);
      const began = performance.now();
      connection.send(
        headOf('POST /v1/pets HTTP/1.1', 'Host: a', 'Content-Length: 500000', `Authorization: Bearer ${key}`),
      );
      connection.send('x'.repeat(100_000));
      await connection.received(/^HTTP\/1\.1 503 /);
      expect(performance.now() - began).to.be.within(3_500, promisedMs + spareMs);
    } finally {
      await server.stop(0);
    }
  });

  it('moves while the body arrives', async () => {
    const deadlines: Array<Deadline | undefined> = [];
    const server = await startServer({
      pets: {
        create: (newPet, { deadline } = {}) => {
          deadlines.push(deadline);
          return TE.right({ pet: { id: 1n, ...newPet }, replayed: false });
        },
      },
    });
    try {
      const body = '{"name":"Rex","categoryId":7}';
      const connection = connectTo(server.address);
      const lines = [`Authorization: Bearer ${key}`, 'Content-Type: application/json', 'Connection: close'];
      connection.send(
        headOf('POST /v1/pets HTTP/1.1', 'Host: a', `Content-Length: ${body.length}`, ...lines),
      );
      connection.send(body.slice(0, 10));
      await delay(5_500);
      connection.send(body.slice(10));
      expect((await connection.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
      const remainingMs = (deadlines[0] ?? NaN) - performance.now();
      expect(remainingMs).to.be.within(3_000, 4_000);
    } finally {
      await server.stop(0);
    }
  });

  it('and a malformed body end with a response of the server, which the log has', async () => {
    const ended: Array<RequestEntry> = [];
    const rejected: Array<unknown> = [];
    const server = await startServer({
      checkReadiness: hang,
      reporter: {
        ...silentReporter,
        requestEnded: (record) => ended.push(record),
        requestRejected: (record) => rejected.push(record),
      },
    });
    // A connection without a request gets no 408, because the client could take it for the response to its first
    // request.
    const withoutRequest = connectTo(server.address).closed();
    const connection = connectTo(server.address);
    connection.send(
      headOf(
        ...[
          'POST /v1/pets HTTP/1.1',
          'Host: a',
          'Transfer-Encoding: chunked',
          `Authorization: Bearer ${key}`,
        ],
        ...['Content-Type: application/json', 'Expect: 100-continue'],
      ),
    );
    // The 100 (Continue) shows that the application reads the body.
    await connection.received(/ 100 /);
    connection.send('5\r\nhello\r\nzzz\r\n');
    await connection.closed();
    expect((await fetch(`${server.address}/readyz`)).status).to.equal(503);
    expect((await withoutRequest).toString()).to.equal('');
    await server.stop(0);
    expect(rejected).to.deep.equal([]);
    expect(ended.map(({ path, status, code }) => [path, status, code])).to.deep.equal([
      ['/v1/pets', 400, 'malformed_request'],
      ['/readyz', 503, 'unavailable'],
    ]);
  });
});
