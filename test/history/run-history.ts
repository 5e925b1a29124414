import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { call } from '../support/http/client';
import type { Figures } from '../faults/support/fault';
import { eventually } from '../support/eventually';
import { checkHistory, type Violation } from './check-history';
import type { Exchange, History } from './history';
import { runNemesis } from './nemesis/nemesis';
import type { Instance } from './set-ups/instance';
import type { SetUp, System } from './set-ups/set-up';
import { settings } from './settings';
import { forgetAnimals } from './workload/ask';
import { startWorkload } from './workload/workload';

const clients = 16;

/** All in milliseconds; what the machine has kept this process waiting comes on top of the deadline. */
const deadline = 5_000;
const healBound = 60_000;

const shownViolations = 10;

/**
 * Fails with what `/readyz` said last. A failover can lose a migration that the primary alone had: then an operator does what
 * it says, here by a restart.
 */
const untilWell = async ({ number, address, restart }: Instance): Promise<void> => {
  let last = '';
  const isReady = async (): Promise<boolean> => {
    try {
      const { status, text } = await call(`${address}/readyz`);
      last = text;
      if (text.includes('lacks migrations')) await restart();
      return status === 200;
    } catch (error) {
      last = String(error);
      return false;
    }
  };
  await eventually('', healBound, isReady).catch((error: unknown) => {
    throw new Error(`instance ${number} is not well ${healBound} ms after the last fault: ${last}`, {
      cause: error,
    });
  });
};

const runOn = async ({ instances, hands, databaseLog }: System): Promise<History> => {
  const start = performance.now();
  const now = (): number => performance.now() - start;
  const { seed, seconds } = settings;
  const workload = startWorkload({ seed, clients, instances, now });
  const faults = await runNemesis({ seed, hands, milliseconds: seconds * 1_000, now }).catch(
    (error: unknown) => {
      throw new Error(`${String(error)}\n${databaseLog?.() ?? ''}`, { cause: error });
    },
  );
  await workload.stop();
  for (const instance of instances) await untilWell(instance);
  await workload.settle();
  expect(
    instances.flatMap(({ unasked }) => unasked),
    'instances that ended by themselves',
  ).to.deep.equal([]);
  return { exchanges: workload.exchanges, faults };
};

const countBy = <A>(list: ReadonlyArray<A>, nameOf: (each: A) => string): Figures => {
  const counts = new Map<string, number>();
  for (const each of list) counts.set(nameOf(each), (counts.get(nameOf(each)) ?? 0) + 1);
  return Object.fromEntries(counts);
};

const outcomeOf = ({ answer }: Exchange): string => {
  if (answer.type === 'refusal') return `${answer.status}`;
  return answer.type === 'none' ? 'without an answer' : 'as hoped';
};

const figuresOf = ({ exchanges, faults }: History): Figures => ({
  seed: settings.seed,
  seconds: settings.seconds,
  requests: exchanges.length,
  ...countBy(exchanges, outcomeOf),
  acknowledged: exchanges.filter(({ request, answer }) => request.type === 'create' && answer.type === 'pet')
    .length,
  walks:
    new Set(exchanges.map(({ request }) => (request.type === 'list' ? request.walk : undefined))).size - 1,
  'slowest ms': Math.round(
    exchanges
      .filter(({ answer }) => answer.type !== 'none')
      .reduce((slowest, { began, ended }) => Math.max(slowest, ended - began), 0),
  ),
  faults: faults.length,
});

/** One line a fault and a request, in the order of their beginnings, then one an instance. */
const keep = async (
  name: string,
  { exchanges, faults }: History,
  instances: ReadonlyArray<Instance>,
): Promise<string> => {
  const file = `${settings.folder ?? '.'}/history-${name}-${settings.seed}.ndjson`;
  const lines = [...exchanges, ...faults]
    .sort((one, other) => one.began - other.began)
    .map((each) =>
      JSON.stringify(each, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
  const starts = instances.map(({ number, starts }) => JSON.stringify({ instance: number, starts }));
  await writeFile(file, [...lines, ...starts].join('\n'));
  return file;
};

const inWords = (violations: ReadonlyArray<Violation>): string =>
  violations
    .slice(0, shownViolations)
    .map(({ property, text }) => `${property}: ${text}`)
    .join('\n');

const startTimes = ({ starts }: Instance): ReadonlyArray<number> =>
  starts.map(({ milliseconds }) => milliseconds);

/** Runs clients and faults on a system, and holds what happened against every property. */
export const runHistory = (setUp: SetUp): Promise<Figures> =>
  setUp.within(async (system) => {
    forgetAnimals();
    const waits = monitorEventLoopDelay();
    waits.enable();
    const history = await runOn(system);
    waits.disable();
    const longestWait = Math.round(waits.max / 1_000_000);
    const violations = checkHistory(history, { deadline: deadline + longestWait });
    if (violations.length > 0 || settings.folder !== undefined) {
      const file = await keep(setUp.name, history, system.instances);
      expect(violations.length, `${inWords(violations)}\nThe history is in ${file}`).to.equal(0);
    }
    return {
      ...figuresOf(history),
      'longest start ms': Math.max(...system.instances.flatMap(startTimes)),
      'longest wait of this process ms': longestWait,
      violations: 0,
    };
  });
