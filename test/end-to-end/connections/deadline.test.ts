import { expect } from 'chai';
import * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deadline } from '../../../core';
import { testsAtOnce } from '../../support/at-once';
import { connectTo } from '../../support/http/raw-connection';
import { byKey, key, memoryApplication, silentReporter, startServer } from '../../support/http/start-server';

const ignore = (): void => undefined;
const never = () => () => new Promise<never>(ignore);

/** Time within which the service answers each request. */
const promisedMs = 5_000;

/** Extra time for a busy machine. */
const spareMs = 10_000;

const late = <A>(answer: A, milliseconds: number) => T.delay(milliseconds)(TE.right<never, A>(answer));

/** Sends a PUT, which needs a slot of writes but makes no call of the store. Returns its status. */
const statusOfNextWrite = async (address: string): Promise<number> => {
  const headers = { Authorization: `Bearer ${key}` };
  return (await fetch(`${address}/v1/pets`, { method: 'PUT', headers })).status;
};

describe('The deadline of a request', () => {
  testsAtOnce({
    'gives a 503 within five seconds if key, quota and store are each late': async () => {
      const deadlines: Array<Deadline | undefined> = [];
      const causes: Array<unknown> = [];
      let lateness = 1_500;
      const quota = { requests: 9, seconds: 1, isWithin: true, remaining: 8, resetsInSeconds: 1 };
      const application = memoryApplication({
        pets: {
          create: (_newPet, _key, deadline) => {
            deadlines.push(deadline);
            return never();
          },
        },
        authenticate: (apiKey, deadline) => {
          deadlines.push(deadline);
          return T.delay(lateness)(byKey(apiKey));
        },
        consumeQuota: (_keyId, deadline) => {
          deadlines.push(deadline);
          return late(quota, lateness);
        },
      });
      const server = await startServer(application, {
        maxInFlight: 1,
        reporter: { ...silentReporter, error: (cause) => causes.push(cause) },
      });
      try {
        const body = '{"name":"Rex","categoryId":7}';
        const began = performance.now();
        const answer = await fetch(`${server.address}/v1/pets`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body,
        });
        expect(answer.status).to.equal(503);
        expect(answer.headers.get('Retry-After')).to.match(/^\d+$/);
        expect(performance.now() - began).to.be.within(3_500, promisedMs + spareMs);
        expect(deadlines.map((deadline = Infinity) => deadline - began < promisedMs)).to.deep.equal([
          true,
          true,
          true,
        ]);
        expect(causes).to.have.length(1);
        lateness = 0;
        expect(await statusOfNextWrite(server.address), 'the slot is free again').to.equal(405);
      } finally {
        await server.stop(0);
      }
    },

    'excludes the time in which the client sends the body': async () => {
      const server = await startServer(memoryApplication(), { maxInFlight: 1 });
      try {
        const body = '{"name":"Rex","categoryId":7}';
        const connection = connectTo(server.address);
        connection.send(
          `POST /v1/pets HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
        );
        await delay(promisedMs + 500);
        connection.send(body);
        expect((await connection.closed()).toString()).to.match(/^HTTP\/1\.1 201 /);
      } finally {
        await server.stop(0);
      }
    },
  });
});
