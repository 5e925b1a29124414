import { expect } from 'chai';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually';
import { killServices, startService } from '../support/service-process';
import { call } from './support/call';
import { fault, type Figures } from './support/fault';
import { type LoadFigures, type LoadRequest, runLoad } from './support/load/closed-loop';
import { median } from './support/percentile';
import { peakMemory } from './support/peak-memory';
import { pidOf } from './support/pids';
import { processorSeconds } from './support/processor-seconds';
import { sqlStores } from './support/sql-stores';

const key = 'overload-key';
const rounds = 5;
const connections = 2_000;

/** At which the service gives the most answers a second. */
const connectionsAtPeak = 64;

/** In milliseconds. */
const slowestAdmitted = 2_000;

/** In milliseconds. */
const longestUntilIdle = 1_000;

/** In bytes. */
const mostMemory = 512 * 1024 * 1024;

const rex: LoadRequest = { target: '/v1/pets', key, body: '{"name":"Rex","categoryId":7}' };
const animals = 1_000;

const ids = Array.from({ length: animals }, (_, place) => place + 1);

const loads = {
  'reads by id': ids.map((id) => ({ target: `/v1/pets/${id}`, key })),
  'pages of 20': ids.map((id) => ({ target: `/v1/pets?after=${id}`, key })),
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

/** Answers that were no refusals, a second of the service's processor time: what else runs here takes the rest. */
const goodput = ({ byStatus, processorSeconds }: LoadFigures): number =>
  ((byStatus['200']?.count ?? 0) + (byStatus['201']?.count ?? 0)) / processorSeconds;

/** Asks as an orchestrator does, until the load is over: the slowest answer, in milliseconds. */
const watchHealth = async (address: string, load: Promise<unknown>): Promise<number> => {
  const over = load.then(() => true);
  let slowest = 0;
  while (!(await Promise.race([over, delay(50, false)]))) {
    const { status, milliseconds } = await call(`${address}/livez`);
    expect(status, 'of /livez under overload').to.equal(200);
    slowest = Math.max(slowest, milliseconds);
  }
  return slowest;
};

/** Milliseconds until the service answers at once again, and has nothing more to do. */
const untilIdle = async (address: string, pid: number): Promise<number> => {
  const began = performance.now();
  await eventually('a read is answered at once', longestUntilIdle, async () => {
    const { status, milliseconds } = await call(`${address}/v1/pets/1`, { key });
    return status === 200 && milliseconds < 50;
  });
  const idle = performance.now() - began;
  await delay(Math.max(0, longestUntilIdle - idle));
  const before = processorSeconds(pid);
  await delay(1_000);
  expect(processorSeconds(pid) - before, 'processor seconds in the second after').to.be.below(0.2);
  return idle;
};

const overload = async (databaseUrl: string, requests: ReadonlyArray<LoadRequest>): Promise<Figures> => {
  const service = await startService({ DATABASE_URL: databaseUrl, API_KEYS: key });
  const pid = pidOf(service);
  const { address } = service;
  await seed(address);
  const common = { address, pid, seconds: 1, requests };
  await runLoad({ ...common, connections: connectionsAtPeak, settle: 0 });

  const seen: Array<{ readonly peak: number; readonly ratio: number; readonly under: LoadFigures }> = [];
  const health: Array<number> = [];
  for (let round = 0; round < rounds; round += 1) {
    const peak = goodput(await runLoad({ ...common, connections: connectionsAtPeak, settle: 0.3 }));
    const load = runLoad({ ...common, connections, settle: 1 });
    health.push(await watchHealth(address, load));
    const under = await load;
    seen.push({ peak, ratio: goodput(under) / peak, under });
  }
  const idle = await untilIdle(address, pid);

  const admitted = Math.max(
    ...seen.map(({ under: { byStatus } }) => (byStatus['200'] ?? byStatus['201'])?.p99 ?? NaN),
  );
  const ratio = median(seen.map((each) => each.ratio));
  for (const { under } of seen) {
    expect(Object.keys(under.byStatus)).to.have.members([requests.includes(rex) ? '201' : '200', '503']);
    expect(under.unexplained, 'refusals without Retry-After').to.equal(0);
    expect(under.cutOff, 'connections that were cut off').to.equal(0);
  }
  expect(admitted, 'p99 of admitted requests').to.be.below(slowestAdmitted);
  expect(peakMemory(pid), 'bytes of memory at most').to.be.below(mostMemory);
  expect(ratio, 'goodput, of its peak').to.be.at.least(0.8);
  return {
    'answered a processor second at peak': Math.round(median(seen.map(({ peak }) => peak))),
    'of which under overload': ratio.toFixed(2),
    'p99 of admitted ms': Math.round(admitted),
    'p99 of refusals ms': Math.round(Math.max(...seen.map(({ under }) => under.byStatus['503']?.p99 ?? NaN))),
    'slowest /livez ms': Math.round(Math.max(...health)),
    'idle after ms': Math.round(idle),
    'MB at most': Math.round(peakMemory(pid) / 1024 / 1024),
  };
};

describe('Promise 4: overload bends, it does not break', () => {
  afterEach(killServices);

  for (const store of sqlStores) {
    for (const [name, requests] of Object.entries(loads)) {
      fault(`${store.name}: ${name} over ${connections} connections that never wait`, () =>
        store.within(({ databaseUrl }) => overload(databaseUrl, requests)),
      );
    }
  }
});
