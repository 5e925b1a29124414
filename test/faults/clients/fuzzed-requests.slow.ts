import { expect } from 'chai';
import * as fc from 'fast-check';
import { randomInt } from 'node:crypto';
import { sqlStores } from '../../support/databases/databases';
import {
  readFirstHttpResponses,
  readUnaskedHttpResponses,
  type WireResponse,
} from '../../support/http/raw-connection';
import { checkAnswer } from '../../support/openapi/checked-answer';
import type { Outcome } from '../../support/processes/command';
import { fsyncWarning } from '../../support/postgres/postgres-server';
import { type LogLine, logLines } from '../../support/service/log-lines';
import { killServices, startService } from '../../support/service/service-process';
import {
  type FramedRequest,
  framedRequest,
  fuzzKey,
  hardRequest,
  noisyRequests,
} from '../support/arbitrary-request';
import { connectTo, goodClient, untilClosed } from '../support/clients';
import { collecting, heapInUse } from '../support/measures';

/** With the seed of an earlier run in FUZZ_SEED, a run repeats the earlier one. */
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));

const leastRequests = 25_000;
const clients = 32;

const warmUp = 60;
const course = 120;

const maxGrowthMegabytes = 5;

const framedPatienceMs = 10_000;
const noisePatienceMs = 60;
const longestCloseMs = 12_000;

const lastRequest: FramedRequest = {
  method: 'GET',
  target: '/livez',
  bytes: 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
};

/**
 * Sends bytes (as Latin-1) on a new connection. Ends the connection once the server has sent nothing for `patienceMs`,
 * and fails if the server then does not close it.
 */
const converse = async (address: string, bytes: string, patienceMs: number) => {
  const socket = await connectTo(address);
  const chunks: Array<Buffer> = [];
  let end: NodeJS.Timeout | undefined;
  let isLeftOpen = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.setTimeout(patienceMs, () => {
    socket.end();
    end ??= setTimeout(() => {
      isLeftOpen = true;
      socket.destroy();
    }, longestCloseMs);
  });
  socket.write(Buffer.from(bytes, 'latin1'));
  await untilClosed(socket);
  clearTimeout(end);
  expect(isLeftOpen, `never closed after ${JSON.stringify(bytes.slice(0, 2_000))}`).to.equal(false);
  return { bytes: Buffer.concat(chunks), isEndedByServer: end === undefined };
};

const unknown = { method: '', target: '' };

const isText = ({ headers }: WireResponse): boolean =>
  headers.some(([name, value]) => name === 'content-type' && !value.startsWith('application/json'));

const isFinal = ({ status }: WireResponse): boolean => status >= 200;

const isLast = ({ headers }: WireResponse): boolean =>
  headers.some(([name, value]) => name === 'connection' && value === 'close');

const check = (asked: { readonly method: string; readonly target: string }, response: WireResponse): void => {
  if (isText(response) || response.status === 304) {
    expect(asked.target).to.match(/^(?:[^?]*\/(?:docs|openapi)|(?:http:\/\/[^/?]*)?\/?(?:\?|$))/);
    expect(response.status).to.be.oneOf(/\/docs\/(?:\?|$)/.test(asked.target) ? [308] : [200, 304]);
  } else checkAnswer(asked, response);
  expect(response.status, `${asked.method} ${asked.target}`).to.be.below(500);
};

/** Checks that each request gets one response, in order, up to the response that ends the connection. */
const fuzzFramed = async (address: string, requests: ReadonlyArray<FramedRequest>): Promise<void> => {
  const all = [...requests, lastRequest];
  const { bytes, isEndedByServer } = await converse(
    address,
    all.map((one) => one.bytes).join(''),
    framedPatienceMs,
  );
  expect(isEndedByServer, 'ended by the server').to.equal(true);
  const answers = readFirstHttpResponses(
    bytes,
    all.map(({ method }) => method),
  ).filter(isFinal);
  expect(answers.map(isLast), 'only the last response ends the connection').to.deep.equal(
    answers.map((_, place) => place === answers.length - 1),
  );
  for (const [place, answer] of answers.entries()) check(all[place] ?? lastRequest, answer);
};

/** Checks that each response to noise has the headers of the service, and a body unless the noise has a HEAD. */
const fuzzNoise = async (address: string, noise: string): Promise<void> => {
  const { bytes } = await converse(address, noise, noisePatienceMs);
  const answers = readUnaskedHttpResponses(bytes).filter(isFinal);
  for (const answer of answers) {
    // Random bytes may name another version of HTTP, such as 2.0, and get a 505.
    if (answer.status !== 505) expect(answer.status, 'status after noise').to.be.below(500);
    expect(answer.headers.map(([name]) => name)).to.include.members([
      'x-request-id',
      'x-content-type-options',
    ]);
    const { status, body } = answer;
    if (body.length === 0) expect((status >= 300 && status < 400) || noise.includes('HEAD')).to.equal(true);
    else if (answer.status >= 400) checkAnswer(unknown, answer);
  }
};

const errorLevel = 50;

const startMessage = /^(?:animal-store serves |Metrics and health checks, without a key: )http/;

/**
 * True for log lines of errors and of server errors, except the response to noise that names another version of HTTP.
 */
const isFailure = ({ level, status = 0 }: LogLine): boolean =>
  Number(level) >= errorLevel || (Number(status) >= 500 && status !== 505);

/** Checks that a service has ended well, and has written nothing unexpected. */
const expectCleanLog = ({ stdout, stderr, code, signal }: Outcome): void => {
  expect({ code, signal }, stderr).to.deep.equal({ code: 0, signal: null });
  const surprises = stderr
    .trim()
    .split('\n')
    .filter((text) => !startMessage.test(text) && !fsyncWarning.test(text));
  expect(surprises, 'standard error').to.deep.equal([]);
  expect(logLines(stdout).filter(isFailure), 'log lines of failures').to.deep.equal([]);
};

const fuzz = async (databaseUrl: string): Promise<void> => {
  const service = await startService({
    DATABASE_URL: databaseUrl,
    API_KEYS: fuzzKey,
    ...collecting,
  });
  const { address } = service;
  let requests = 0;

  // A long body is sent alone. Otherwise it could stay unread after a request that ends the connection, and TCP would
  // reset the connection.
  const conversations = fc.oneof(
    { weight: 20, arbitrary: fc.array(framedRequest, { minLength: 4, maxLength: 12, size: 'max' }) },
    { weight: 1, arbitrary: fc.tuple(hardRequest) },
  );
  const framed = fc.asyncProperty(conversations, async (all) => {
    await fuzzFramed(address, all);
    requests += all.length + 1;
  });
  const noisy = fc.asyncProperty(noisyRequests, async (noise) => {
    await fuzzNoise(address, noise.bytes);
    requests += noise.requests;
  });
  const run = (numRuns: number, firstSeed: number): Promise<unknown> =>
    Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const parameters = { seed: firstSeed + client, numRuns };
        await (client % 2 === 0 ? fc.assert(framed, parameters) : fc.assert(noisy, parameters));
      }),
    );

  const good = goodClient({ address, key: fuzzKey });
  await run(warmUp, seed);
  const early = await heapInUse(service);
  await run(course, seed + clients);
  const late = await heapInUse(service);
  await good.end();
  expectCleanLog(await service.stop());

  expect(requests, 'requests').to.be.at.least(leastRequests);
  expect(late - early, 'megabytes that the heap has grown').to.be.below(maxGrowthMegabytes);
};

describe(`The service (FUZZ_SEED=${seed})`, () => {
  afterEach(killServices);

  for (const { name, within } of sqlStores) {
    it(`responds to any input as documented, without a failure or a leak, on ${name}`, () =>
      within(({ databaseUrl }) => fuzz(databaseUrl)));
  }
});
