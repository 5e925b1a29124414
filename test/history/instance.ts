import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { owner } from '../support/http/client';
import { type FreezingProxy, startFreezingProxy } from '../support/postgres/freezing-proxy';
import { type Environment, type Running, startProgram } from '../support/processes/command';
import { freePort, pidOf } from '../support/processes/system';
import { settableClock } from '../faults/support/machine';
import { starvedMs } from '../faults/support/measures';
import type { Build } from './settings';

/** A start of an instance: time until it served, and the failures of earlier attempts. */
interface Start {
  readonly milliseconds: number;
  readonly failed: ReadonlyArray<string>;
}

/** A service behind a proxy, with a supervisor that starts it until it serves. */
export interface Instance {
  readonly number: number;
  readonly address: string;
  readonly cable: FreezingProxy;
  readonly start: (build: Build) => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  /** Shifts its clock, as libfaketime reads it, unless it is starting. */
  readonly moveClock: (shift: string) => Promise<void>;
  readonly starvedMs: () => number;
  readonly unexpectedEnds: ReadonlyArray<string>;
  readonly starts: ReadonlyArray<Start>;
}

const startTimeoutMs = 180_000;
const retryPauseMs = 200;

/** Minimum number of attempts to start. Each may meet another fault, and on a busy machine an attempt takes 20 s. */
const fewestAttempts = 15;

/** Resolves with true once it serves, or false if it ended before. */
const serves = (running: Running): Promise<boolean> =>
  new Promise((resolve) => {
    running.onChange(() => {
      if (running.stderr().includes('serves http:')) resolve(true);
    });
    running.ended.then(
      () => {
        resolve(false);
      },
      () => {
        resolve(false);
      },
    );
  });

const newInstance = async (number: number, folder: string, environment: Environment): Promise<Instance> => {
  const port = await freePort();
  const cable = await startFreezingProxy(port);
  const clock = await settableClock(`${folder}/clock-${number}`);
  const settings = {
    PORT: `${port}`,
    API_KEYS: owner,
    LOG_LEVEL: 'silent',
    ...clock.environment,
    ...environment,
  };
  const unexpectedEnds: Array<string> = [];
  const starts: Array<Start> = [];
  let running: Running | undefined;
  let isAsked = false;
  let isStarting = false;
  let latest: Build | undefined;

  const startOnce = async ({ checkout, environment: ofBuild }: Build): Promise<boolean> => {
    const started = startProgram(process.execPath, [join(checkout, 'dist/app/main.js'), 'serve'], {
      environment: { ...settings, ...ofBuild },
    });
    isAsked = false;
    running = started;
    if (!(await serves(started))) return false;
    void started.ended.then(({ code, stderr }) => {
      if (running === started && !isAsked)
        unexpectedEnds.push(`instance ${number} ended with ${code}: ${stderr}`);
    });
    return true;
  };
  const start = async (build: Build): Promise<void> => {
    latest = build;
    isStarting = true;
    await clock.set('+0');
    const began = performance.now();
    const attempts: Array<string> = [];
    let attempted = began;
    while (!(await startOnce(build))) {
      const failed = performance.now();
      attempts.push(`after ${Math.round(failed - attempted)} ms: ${running?.stderr() ?? ''}`);
      if (failed - began > startTimeoutMs && attempts.length >= fewestAttempts)
        throw new Error(`instance ${number} does not start:\n${attempts.join('')}`);
      await delay(retryPauseMs);
      attempted = performance.now();
    }
    starts.push({ milliseconds: Math.round(performance.now() - began), failed: attempts });
    isStarting = false;
  };
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    isAsked = true;
    running?.signal(signal);
    await running?.ended;
  };

  return {
    number,
    address: `http://127.0.0.1:${cable.port}`,
    cable,
    unexpectedEnds,
    starts,
    start,
    restart: async () => {
      await end('SIGTERM');
      if (latest !== undefined) await start(latest);
    },
    end,
    signal: (name) => running?.signal(name),
    starvedMs: () => (running === undefined ? 0 : starvedMs(pidOf(running))),
    moveClock: async (shift) => {
      if (!isStarting) await clock.set(shift);
    },
  };
};

/** Starts an instance for each database address. They are killed afterwards. */
export const withInstances = async <A>(
  folder: string,
  databaseUrls: ReadonlyArray<string>,
  build: Build,
  use: (instances: ReadonlyArray<Instance>) => Promise<A>,
): Promise<A> => {
  const instances = await Promise.all(
    databaseUrls.map((url, number) => newInstance(number, folder, { DATABASE_URL: url })),
  );
  try {
    for (const each of instances) await each.start(build);
    return await use(instances);
  } finally {
    for (const each of instances) {
      each.signal('SIGCONT');
      await each.end('SIGKILL');
      await each.cable.close();
    }
  }
};
