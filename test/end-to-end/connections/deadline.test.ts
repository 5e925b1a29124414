import { expect } from 'chai';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import type { Deadline } from '../../../core';
import { byKey, key, silentReporter, startServer } from '../../support/http/start-server';

/** Time within which the service answers each request. */
const promisedMs = 5_000;

/** Extra time for a busy machine. */
const spareMs = 10_000;

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
          return () => new Promise<never>(() => undefined);
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
    const send = (method: string) =>
      fetch(`${server.address}/v1/pets`, { method, headers, body: '{"name":"Rex","categoryId":7}' });
    try {
      const began = performance.now();
      const answer = await send('POST');
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
});
