import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlStores } from '../../support/databases/databases';
import { call, environmentOf, owner } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { type LoadRequest, runClosedLoop, startOpenLoop } from '../support/load';
import { noTally, peakMemory } from '../support/measures';

const key = owner;

const overloadFactor = 3;

const seconds = Number(process.env['OVERLOAD_SECONDS'] ?? 10);

const connectionsAtPeak = 64;

/** Fewer than the default of MAX_CONNECTIONS. Requests for which no connection is free are not sent. */
const connections = 9_000;

/** Time within which the service answers each request. */
const promisedMs = 5_000;

const longestRecoveryMs = 3_000;
const atOnceMs = 50;

const maxMemoryBytes = 1_200_000_000;

/** Least share of the peak rate that is still answered. The load source takes most of the processor from the service. */
const leastShare = 0.2;

const rex: LoadRequest = { target: '/v1/pets', key, body: '{"name":"Rex","categoryId":7}' };
const animals = 1_000;

const ids = Array.from({ length: animals }, (_, place) => place + 1);

const loads = {
  reads: ids.map((id) => ({ target: `/v1/pets/${id}`, key })),
  pages: ids.map((id) => ({ target: `/v1/pets?after=${id}`, key })),
  creates: [rex],
};

const seed = async (address: string): Promise<void> => {
  for (let stored = 0; stored < animals; stored += connectionsAtPeak) {
    await Promise.all(
      Array.from({ length: connectionsAtPeak }, () =>
        call(`${address}/v1/pets`, { method: 'POST', key, body: rex.body ?? '' }),
      ),
    );
  }
};

const watchHealth = async (address: string, load: Promise<void>): Promise<number> => {
  const over = load.then(() => true);
  let slowest = 0;
  while (!(await Promise.race([over, delay(50, false)]))) {
    const { status, milliseconds } = await call(`${address}/livez`);
    expect(status, 'of /livez under overload').to.equal(200);
    slowest = Math.max(slowest, milliseconds);
  }
  return slowest;
};

/** Returns the milliseconds until a read is fast again, or Infinity. No attempt waits for another. */
const untilWell = async (address: string): Promise<number> => {
  const began = performance.now();
  let well = Infinity;
  const attempts: Array<Promise<void>> = [];
  const attempt = async (): Promise<void> => {
    const { status, milliseconds } = await call(`${address}/v1/pets/1`, { key });
    if (status === 200 && milliseconds < atOnceMs) well = Math.min(well, performance.now() - began);
  };
  while (well === Infinity && performance.now() - began < longestRecoveryMs) {
    attempts.push(attempt());
    await delay(atOnceMs);
  }
  await Promise.all(attempts);
  return well;
};

const overload = async (databaseUrl: string, requests: ReadonlyArray<LoadRequest>): Promise<void> => {
  const service = await startService(environmentOf(databaseUrl));
  const pid = pidOf(service);
  const { address } = service;
  const good = requests.includes(rex) ? '201' : '200';
  await seed(address);
  const load = { address, pid, requests };
  const peakTimes = { settleSeconds: 1, countedSeconds: 3 };
  const peak = await runClosedLoop({ ...load, ...peakTimes, connections: connectionsAtPeak });
  const peakRate = peak.answersPerSecond[good] ?? NaN;

  const times = { settleSeconds: 2, countedSeconds: seconds };
  const open = startOpenLoop({ ...load, ...times, connections, ratePerSecond: overloadFactor * peakRate });
  await open.begun;
  const health = await watchHealth(address, open.over);
  const well = await untilWell(address);
  const { byStatus, cutOff, unanswered, unexplained } = await open.figures;

  const { [good]: answered = noTally, 503: late = noTally, ...others } = byStatus;
  expect(Object.keys(others), 'responses that are neither answers nor 503').to.deep.equal([]);
  expect(cutOff + unanswered, 'requests without an answer').to.equal(0);
  expect(unexplained, '503 without a Retry-After').to.equal(0);
  expect(answered.p99, 'p99 ms of answers').to.be.below(promisedMs);
  if (late.count > 0) expect(late.p99, 'p99 ms of 503').to.be.below(promisedMs);
  expect(health, 'slowest ms of /livez').to.be.below(promisedMs);
  expect(peakMemory(pid), 'bytes of memory').to.be.below(maxMemoryBytes);
  expect(answered.count / seconds / peakRate, 'answers, of the peak rate').to.be.at.least(leastShare);
  expect(well, 'ms until reads were fast again').to.be.below(longestRecoveryMs);
};

describe('A service under overload', () => {
  afterEach(killServices);

  for (const store of sqlStores) {
    for (const [name, requests] of Object.entries(loads)) {
      it(`answers what it can, and all within 5 s, at ${overloadFactor} times too many ${name}, on ${store.name}`, () =>
        store.within(({ databaseUrl }) => overload(databaseUrl, requests)));
    }
  }
});
