import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type FreezingProxy, startFreezingProxy } from '../../support/postgres/freezing-proxy';
import { freePort, pidOf } from '../../support/processes/system';
import { faketimeLibrary } from '../../faults/support/machine/tools';
import { type Environment, type Running, startProgram } from '../../support/processes/command';
import type { Build } from '../settings';

/** How long it took until an instance served, and what each attempt before met. */
interface Start {
  readonly milliseconds: number;
  readonly failed: ReadonlyArray<string>;
}

/** A service behind a cable, with a supervisor that starts it until it serves. */
export interface Instance {
  readonly number: number;
  /** Where clients reach it. */
  readonly address: string;
  /** Between the clients and it. */
  readonly cable: FreezingProxy;
  /** Ends once it serves; its clock is true then. */
  readonly start: (build: Build) => Promise<void>;
  /** With the build that it has. */
  readonly restart: () => Promise<void>;
  /** SIGTERM or SIGKILL; ends when the process is gone. */
  readonly end: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>;
  readonly signal: (name: 'SIGSTOP' | 'SIGCONT') => void;
  /** Moves its clock of the day, as libfaketime reads it, unless it is starting. */
  readonly moveClock: (shift: string) => Promise<void>;
  /** For how many milliseconds since its start it was ready to run and had no processor; 0 where the system doesn't say. */
  readonly starved: () => number;
  /** Ends that nobody asked for, with what the process said. */
  readonly unasked: ReadonlyArray<string>;
  readonly starts: ReadonlyArray<Start>;
}

/** In milliseconds. */
const startBound = 180_000;
const pause = 200;

/** Each may meet another fault of the database; on a busy machine one takes 20 s, so that time alone tells nothing. */
const fewestAttempts = 15;

/** Clients know it; instances accept it. */
export const key = 'history-key';

/** Of its main thread: on Linux the second number is its time on a run queue, in nanoseconds. */
const starvedOf = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1_000_000;
  } catch {
    return 0;
  }
};

/** Whether it serves, or ended before it did. */
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
  const clock = `${folder}/clock-${number}`;
  const library = faketimeLibrary();
  const faketime = {
    LD_PRELOAD: library ?? '',
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  const settings = {
    PORT: `${port}`,
    API_KEYS: key,
    LOG_LEVEL: 'silent',
    ...(library === undefined ? {} : faketime),
    ...environment,
  };
  const unasked: Array<string> = [];
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
      if (running === started && !isAsked) unasked.push(`instance ${number} ended with ${code}: ${stderr}`);
    });
    return true;
  };
  const start = async (build: Build): Promise<void> => {
    latest = build;
    isStarting = true;
    await writeFile(clock, '+0');
    const began = performance.now();
    const attempts: Array<string> = [];
    let attempted = began;
    while (!(await startOnce(build))) {
      const failed = performance.now();
      attempts.push(`after ${Math.round(failed - attempted)} ms: ${running?.stderr() ?? ''}`);
      if (failed - began > startBound && attempts.length >= fewestAttempts)
        throw new Error(`instance ${number} does not start:\n${attempts.join('')}`);
      await delay(pause);
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
    unasked,
    starts,
    start,
    restart: async () => {
      await end('SIGTERM');
      if (latest !== undefined) await start(latest);
    },
    end,
    signal: (name) => running?.signal(name),
    starved: () => (running === undefined ? 0 : starvedOf(pidOf(running))),
    moveClock: async (shift) => {
      if (!isStarting) await writeFile(clock, shift);
    },
  };
};

/** Gives instances that serve, one for each database address. */
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
