import { expect } from 'chai';
import * as fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { checkAnswer } from '../../support/openapi/checked-answer';
import {
  readFirstHttpResponses,
  readUnaskedHttpResponses,
  type WireResponse,
} from '../../support/http/raw-connection';
import { killServices, startService } from '../../support/service/service-process';
import { noisyRequests } from '../support/clients/arbitrary-noise';
import {
  type FramedRequest,
  framedRequest,
  fuzzKey,
  hardRequest,
} from '../support/clients/arbitrary-request';
import { converse } from '../support/clients/converse';
import { expectCleanLog } from '../support/checks/expect-clean-log';
import { fault, type Figures } from '../support/fault';
import { goodClient } from '../support/clients/good-client';
import { collecting, heapInUse } from '../support/measures/heap-in-use';
import { sqlStores } from '../../support/databases/databases';
import { watchTurns } from '../support/measures/watch-turns';

/** FUZZ_SEED repeats a run. */
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));

const leastRequests = 50_000;
const clients = 32;

/** Connections of each client, before the heap is looked at first and after that. */
const warmUp = 60;
const course = 260;

/** In milliseconds: how long one turn of the service's event loop may take, on a machine that others use too. */
const longestTurn = 2_000;

/** In megabytes. */
const mostGrowth = 5;

/** In milliseconds. */
const patienceWithFramed = 10_000;
const patienceWithNoise = 60;

const lastRequest: FramedRequest = {
  method: 'GET',
  target: '/livez',
  bytes: 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
};

/** A request of which nobody knows what it is. */
const unknown = { method: '', target: '' };

const isText = ({ headers }: WireResponse): boolean =>
  headers.some(([name, value]) => name === 'content-type' && !value.startsWith('application/json'));

const isFinal = ({ status }: WireResponse): boolean => status >= 200;

const isLast = ({ headers }: WireResponse): boolean =>
  headers.some(([name, value]) => name === 'connection' && value === 'close');

const check = (
  asked: { readonly method: string; readonly target: string },
  response: WireResponse,
): number => {
  if (isText(response) || response.status === 304) {
    expect(asked.target).to.match(/^(?:[^?]*\/(?:docs|openapi)|(?:http:\/\/[^/?]*)?\/?(?:\?|$))/);
    expect(response.status).to.be.oneOf(/\/docs\/(?:\?|$)/.test(asked.target) ? [308] : [200, 304]);
  } else checkAnswer(asked, response);
  expect(response.status, `${asked.method} ${asked.target}`).to.be.below(500);
  return response.status;
};

/** Each request of a connection gets one answer, in order, up to the answer that ends the connection. */
const fuzzFramed = async (
  port: number,
  requests: ReadonlyArray<FramedRequest>,
): Promise<ReadonlyArray<number>> => {
  const all = [...requests, lastRequest];
  const { bytes, isEndedByServer } = await converse(port, all.map((one) => one.bytes).join(''), {
    patience: patienceWithFramed,
  });
  expect(isEndedByServer, 'ended by the server').to.equal(true);
  const answers = readFirstHttpResponses(
    bytes,
    all.map(({ method }) => method),
  ).filter(isFinal);
  expect(answers.map(isLast), 'the last answer, and no other, ends the connection').to.deep.equal(
    answers.map((_, place) => place === answers.length - 1),
  );
  return answers.map((answer, place) => check(all[place] ?? lastRequest, answer));
};

/** Who sends noise gets answers of the service's own, if any: with bodies, unless a HEAD is somewhere in it. */
const fuzzNoise = async (port: number, noise: string): Promise<ReadonlyArray<number>> => {
  const { bytes } = await converse(port, noise, { patience: patienceWithNoise });
  const answers = readUnaskedHttpResponses(bytes).filter(isFinal);
  for (const answer of answers) {
    // Noise may say that it is HTTP/0.9, or 2.0.
    if (answer.status !== 505) expect(answer.status).to.be.below(500);
    expect(answer.headers.map(([name]) => name)).to.include.members([
      'x-request-id',
      'x-content-type-options',
    ]);
    const { status, body } = answer;
    if (body.length === 0) expect((status >= 300 && status < 400) || noise.includes('HEAD')).to.equal(true);
    else if (answer.status >= 400) checkAnswer(unknown, answer);
  }
  return answers.map(({ status }) => status);
};

/** How often each status was answered, most often first. */
const counted = (statuses: ReadonlyMap<number, number>): Figures =>
  Object.fromEntries(
    [...statuses].sort(([, one], [, other]) => other - one).map(([status, times]) => [`of ${status}`, times]),
  );

const fuzz = async (databaseUrl: string): Promise<Figures> => {
  const service = await startService({
    DATABASE_URL: databaseUrl,
    API_KEYS: fuzzKey,
    MAX_IN_FLIGHT: '10000',
    ...collecting,
  });
  const { address } = service;
  const port = Number(new URL(address).port);
  const statuses = new Map<number, number>();
  let requests = 0;
  const count = (sent: number, answered: ReadonlyArray<number>): void => {
    requests += sent;
    for (const status of answered) statuses.set(status, (statuses.get(status) ?? 0) + 1);
  };

  // A long body behind a request that ends the connection may be unread when it closes: then TCP resets it.
  const conversations = fc.oneof(
    { weight: 20, arbitrary: fc.array(framedRequest, { minLength: 4, maxLength: 12, size: 'max' }) },
    { weight: 1, arbitrary: fc.tuple(hardRequest) },
  );
  const framed = fc.asyncProperty(conversations, async (all) => {
    count(all.length + 1, await fuzzFramed(port, all));
  });
  const noisy = fc.asyncProperty(noisyRequests, async (noise) => {
    count(noise.requests, await fuzzNoise(port, noise.bytes));
  });
  const run = (numRuns: number, firstSeed: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const parameters = { seed: firstSeed + client, numRuns };
        await (client % 2 === 0 ? fc.assert(framed, parameters) : fc.assert(noisy, parameters));
      }),
    );

  const turns = watchTurns(service);
  const good = goodClient({ address, key: fuzzKey });
  await run(warmUp, seed);
  const early = await heapInUse(service);
  await run(course, seed + clients);
  const late = await heapInUse(service);
  const goodAnswers = await good.end();
  const { slowest } = await turns.end();
  const logLines = expectCleanLog(await service.stop());

  expect(requests, 'requests').to.be.at.least(leastRequests);
  expect(slowest, 'milliseconds of the slowest turn of the event loop').to.be.below(longestTurn);
  expect(late - early, 'megabytes that the heap has grown').to.be.below(mostGrowth);
  return {
    seed: String(seed),
    requests,
    ...counted(statuses),
    'answers to a good client': goodAnswers,
    'log lines': logLines,
    'slowest turn ms': slowest,
    'heap MB early': early,
    late,
  };
};

describe('Promise 7: no input breaks it', () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    fault(`fuzzed requests on ${name}`, () => within(({ databaseUrl }) => fuzz(databaseUrl)));
  }
});
