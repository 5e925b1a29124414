import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlStores } from '../../support/databases/databases';
import { call, environmentOf, owner } from '../../support/http/client';
import { pidOf } from '../../support/processes/system';
import { killServices, startService } from '../../support/service/service-process';
import { type LoadRequest, runClosedLoop, startOpenLoop } from '../support/load';
import { noTally, peakMemory } from '../support/measures';

const key = owner;

const times = 3;

const seconds = Number(process.env['OVERLOAD_SECONDS'] ?? 30);

const connectionsAtPeak = 64;

/**
 * More connections than requests can be queued, so that the service sheds load before the load source runs out of
 * connections.
 */
const connections = 12_000;

/** Admitted requests have waited for `MAX_WAIT` at most. */
const maxWaitMs = 1_000;
const longestAdmittedMs = maxWaitMs + 500;
const longestRefusalMs = 2_000;
const longestHealthMs = 1_000;
const longestRecoveryMs = 1_000;
const atOnceMs = 50;

/** Lateness (p99) above which the load source itself was overloaded, and its figures say nothing. */
const latestSourceMs = 50;

const maxMemoryBytes = 768 * 1024 * 1024;

/**
 * Least work per processor second, of the peak. Of three requests two are refused, each received, parsed and answered. In bare
 * `node:http` that costs a fifth to a quarter of an answer here. Wall-clock time is no measure, because the load source
 * shares the two cores. A service that refuses all is cheap as well, so it must also be busy.
 */
const leastWork = 0.7;
const refusalCosts = 0.25;
const leastBusy = 0.8;

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
  const closedLoop = { address, pid, requests, connections: connectionsAtPeak };
  const peakTimes = { settleSeconds: 1, countedSeconds: 3 };
  const peak = await runClosedLoop({ ...closedLoop, ...peakTimes });
  const peakRate = peak.answersPerSecond[good] ?? NaN;
  const answered = peakRate * peakTimes.countedSeconds;

  const load = startOpenLoop({
    ...{ address, pid, requests, connections },
    ...{ ratePerSecond: times * peakRate, settleSeconds: 2, countedSeconds: seconds },
  });
  await load.begun;
  const health = await watchHealth(address, load.over);
  const well = await untilWell(address);
  const { byStatus, ...under } = await load.figures;

  const { [good]: admitted = noTally, 503: refused = noTally, ...others } = byStatus;
  const perProcessorSecond = (count: number): number =>
    count / under.processorSeconds / (answered / peak.processorSeconds);
  const work = perProcessorSecond(admitted.count + refusalCosts * refused.count);
  const busy = under.processorSeconds / seconds / (peak.processorSeconds / peakTimes.countedSeconds);
  expect(under.unsent, 'requests for which the source found no connection').to.equal(0);
  expect(under.lateness.p99, 'p99 ms that the source was late').to.be.below(latestSourceMs);
  expect(Object.keys(others), 'responses that are no answers or refusals').to.deep.equal([]);
  expect(under.cutOff + under.unanswered, 'requests without an answer').to.equal(0);
  expect(under.unexplained, 'refusals without a Retry-After').to.equal(0);
  expect(refused.p99, 'p99 ms of refusals').to.be.below(longestRefusalMs);
  expect(admitted.p99, 'p99 ms of admitted requests').to.be.below(longestAdmittedMs);
  expect(health, 'slowest ms of /livez').to.be.below(longestHealthMs);
  expect(peakMemory(pid), 'bytes of memory').to.be.below(maxMemoryBytes);
  expect(work, 'work of a processor second, of the peak').to.be.at.least(leastWork);
  expect(busy, 'processor time, of the peak').to.be.at.least(leastBusy);
  expect(well, 'ms until reads were fast again').to.be.below(longestRecoveryMs);
};

describe('A service under overload', () => {
  afterEach(killServices);

  for (const store of sqlStores) {
    for (const [name, requests] of Object.entries(loads)) {
      it(`serves what it can and refuses the rest within 2 s, ${times} times too many ${name} for ${seconds} s, on ${store.name}`, () =>
        store.within(({ databaseUrl }) => overload(databaseUrl, requests)));
    }
  }
});
