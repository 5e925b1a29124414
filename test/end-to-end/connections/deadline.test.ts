import { expect } from 'chai';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { RequestRecord } from '../../../adapters/http';
import type { Deadline } from '../../../core';
import { connectTo, headOf } from '../../support/http/raw-connection';
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
        create: (_newPet, _key, deadline) => {
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
      reporter: { ...silentReporter, error: (cause) => causes.push(cause) },
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

  it('and a malformed body end with a response of the server, which the log has', async () => {
    const ended: Array<RequestRecord> = [];
    const rejected: Array<unknown> = [];
    const server = await startServer({
      checkReadiness: hang,
      reporter: {
        ...silentReporter,
        requestEnded: (record) => ended.push(record),
        requestRejected: (record) => rejected.push(record),
      },
    });
    // A client could take a 408 for the response to its first request.
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
