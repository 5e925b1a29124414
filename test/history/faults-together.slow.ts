import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { eventually } from '../support/eventually';
import { call } from '../support/http/client';
import { checkHistory } from './check-history';
import type { History } from './history';
import type { Instance } from './instance';
import { runNemesis } from './faults';
import { primaryAndStandby, type SetUp, sqliteFile, type System } from './set-ups';
import { startWorkload } from './workload';

const numberOf = (name: string, otherwise: number): number => {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${name} must be a positive integer`);
  return value;
};

/** Duration of the faults, for each set-up. */
const seconds = numberOf('HISTORY_SECONDS', 60);
const seed = numberOf('HISTORY_SEED', 1 + Math.floor(Math.random() * 1_000_000));

const clients = 16;

/** Maximum time for an answer. The longest delay of this process's event loop is added. */
const deadlineMs = 5_000;
const recoveryTimeoutMs = 60_000;

const overheadMs = 600_000;

const shownViolations = 10;

/**
 * Waits until an instance is ready, and restarts it if its schema lacks migrations: a failover can lose a migration
 * that only the former primary had.
 */
const untilReady = async ({ number, address, start, end }: Instance): Promise<void> => {
  let last = '';
  const isReady = async (): Promise<boolean> => {
    try {
      const { status, text } = await call(`${address}/readyz`);
      last = text;
      if (text.includes('lacks migrations')) await end('SIGTERM').then(() => start());
      return status === 200;
    } catch (error) {
      last = String(error);
      return false;
    }
  };
  await eventually('', recoveryTimeoutMs, isReady).catch((error: unknown) => {
    throw new Error(`instance ${number} is not ready ${recoveryTimeoutMs} ms after the last fault: ${last}`, {
      cause: error,
    });
  });
};

const runOn = async ({ instances, hands }: System): Promise<History> => {
  const start = performance.now();
  const now = (): number => performance.now() - start;
  const workload = startWorkload({ seed, clients, instances, now });
  const faults = await runNemesis({ seed, hands, milliseconds: seconds * 1_000, now });
  await workload.stop();
  for (const instance of instances) await untilReady(instance);
  await workload.settle();
  expect(
    instances.flatMap(({ unexpectedEnds }) => unexpectedEnds),
    'unexpected ends of instances',
  ).to.deep.equal([]);
  return { exchanges: workload.exchanges, faults };
};

/** Writes a line for each fault and request, in the order of their beginnings. */
const save = async (name: string, { exchanges, faults }: History): Promise<string> => {
  const file = join(tmpdir(), `history-${name}-${seed}.ndjson`);
  const lines = [...exchanges, ...faults]
    .sort((one, other) => one.began - other.began)
    .map((each) =>
      JSON.stringify(each, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    );
  await writeFile(file, lines.join('\n'));
  return file;
};

const runHistory = (setUp: SetUp): Promise<void> =>
  setUp.within(async (system) => {
    const waits = monitorEventLoopDelay();
    waits.enable();
    const history = await runOn(system);
    waits.disable();
    const longestWait = Math.round(waits.max / 1_000_000);
    const violations = checkHistory(history, deadlineMs + longestWait);
    if (violations.length > 0) {
      const file = await save(setUp.name, history);
      const shown = violations.slice(0, shownViolations).map(({ property, text }) => `${property}: ${text}`);
      expect.fail(`${violations.length} violations:\n${shown.join('\n')}\nThe history is in ${file}`);
    }
  });

describe(`A system under random faults (HISTORY_SEED=${seed})`, () => {
  for (const setUp of [sqliteFile, primaryAndStandby]) {
    it(`keeps every guarantee: ${setUp.name}`, () => runHistory(setUp)).timeout(seconds * 1_000 + overheadMs);
  }
});
