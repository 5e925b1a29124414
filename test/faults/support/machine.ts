import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually';
import { call } from '../../support/http/client';
import { startProgram } from '../../support/processes/command';
import { inFolder } from '../../support/temporary-folder';

const run = promisify(execFile);

/** Gives a file system of its own, of a size as in `4m`. It is gone afterwards. */
export const inTmpfs = <A>(size: string, use: (folder: string) => Promise<A>): Promise<A> =>
  inFolder(async (folder) => {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    try {
      return await use(folder);
    } finally {
      // Lazily: a service that a failed test left behind may still hold a file.
      await run('umount', ['-l', folder]);
    }
  });

export const remount = async (folder: string, mode: 'ro' | 'rw'): Promise<void> => {
  await run('mount', ['-o', `remount,${mode}`, folder]);
};

const routeTo = (addresses: string): ReadonlyArray<string> => ['blackhole', addresses, 'table', 'local'];

/** Removes the route that a killed run has left: nothing could connect from these addresses. */
export const makeReachable = async (addresses: string): Promise<void> => {
  await run('ip', ['route', 'del', ...routeTo(addresses)]).catch(() => undefined);
};

/** Drops all packets to some of this machine's own addresses while `use` runs, as when a cable is cut. */
export const withUnreachable = async <A>(addresses: string, use: () => Promise<A>): Promise<A> => {
  await run('ip', ['route', 'replace', ...routeTo(addresses)]);
  try {
    return await use();
  } finally {
    await run('ip', ['route', 'del', ...routeTo(addresses)]);
  }
};

const faketimeLibrary = (): string | undefined =>
  readdirSync('/usr/lib')
    .map((folder) => `/usr/lib/${folder}/faketime/libfaketimeMT.so.1`)
    .find((path) => existsSync(path));

/** Makes a clock of the day for one process. The monotonic clock stays true. */
export const settableClock = async (file: string) => {
  const library = faketimeLibrary();
  const set = (shift: string): Promise<void> => writeFile(file, shift);
  await set('+0');
  return {
    set,
    /** Empty if libfaketime is not installed. */
    environment:
      library === undefined
        ? {}
        : {
            LD_PRELOAD: library,
            FAKETIME_TIMESTAMP_FILE: file,
            FAKETIME_NO_CACHE: '1',
            FAKETIME_DONT_FAKE_MONOTONIC: '1',
          },
    /** Moves the clock by years. Resolves once the service's own responses carry the year. */
    jump: async (shift: '+0' | '+1y' | '-1y', address: string): Promise<void> => {
      await set(shift);
      const year = new Date().getFullYear() + { '+0': 0, '+1y': 1, '-1y': -1 }[shift];
      await eventually(`the service is in ${year}`, 20_000, async () => {
        const { headers } = await call(`${address}/livez`);
        return headers.date?.includes(` ${year} `) === true;
      });
    },
  };
};

export interface Trace {
  readonly output: () => Promise<string>;
  readonly detach: () => Promise<void>;
  /** Ends strace at once: it does not notice that a process dies whose system call it delays. */
  readonly kill: () => Promise<void>;
}

const tracers = new Set<() => Promise<void>>();

/** Attaches strace to processes and all their threads. Its output goes to a file. */
export const attachStrace = async (
  pids: ReadonlyArray<number>,
  options: ReadonlyArray<string>,
  file: string,
): Promise<Trace> => {
  const targets = pids.flatMap((pid) => ['-p', String(pid)]);
  const tracer = startProgram('strace', ['-f', '-o', file, ...options, ...targets]);
  const end = (signal: NodeJS.Signals) => async (): Promise<void> => {
    tracers.delete(kill);
    tracer.signal(signal);
    await tracer.ended;
  };
  const kill = end('SIGKILL');
  tracers.add(kill);
  await eventually('strace is attached', 20_000, () =>
    pids.every((pid) => tracer.stderr().includes(`Process ${pid} attached`)),
  );
  return { output: () => readFile(file, 'latin1'), detach: end('SIGINT'), kill };
};

export const detachAll = async (): Promise<void> => {
  await Promise.all([...tracers].map((kill) => kill()));
};

export type Tool = 'strace' | 'mount' | 'faketime' | 'routes';

const nothing = (): Promise<void> => Promise.resolve();

const tools: Readonly<Record<Tool, { readonly test: () => Promise<unknown>; readonly missing: string }>> = {
  strace: {
    test: () => run('strace', ['-o', '/dev/null', 'true']),
    missing: 'strace is not installed, or may not trace',
  },
  mount: { test: () => inTmpfs('1m', nothing), missing: 'a tmpfs can not be mounted: that needs root' },
  routes: {
    test: () => withUnreachable('127.255.0.0/24', nothing),
    missing: 'iproute2 is not installed, or routes can not be set: that needs root',
  },
  faketime: {
    test: () => (faketimeLibrary() === undefined ? Promise.reject(new Error()) : nothing()),
    missing: 'libfaketime is not installed',
  },
};

export const findMissing = async (names: ReadonlyArray<Tool>): Promise<string | undefined> => {
  for (const name of names) {
    const { test, missing } = tools[name];
    try {
      await test();
    } catch {
      return missing;
    }
  }
  return undefined;
};
