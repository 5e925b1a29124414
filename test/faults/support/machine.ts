import type { Test } from 'mocha';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { eventually } from '../../support/eventually';
import { startProgram } from '../../support/processes/command';
import { inFolder } from '../../support/temporary-folder';

const run = promisify(execFile);

/** Runs a function with a new file system of a size such as `4m`, and unmounts it afterwards. */
export const inTmpfs = <A>(size: string, use: (folder: string) => Promise<A>): Promise<A> =>
  inFolder(async (folder) => {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    try {
      return await use(folder);
    } finally {
      // A lazy unmount succeeds even if a service of a failed test still has an open file.
      await run('umount', ['-l', folder]);
    }
  });

/** Makes a file that takes all free space of a file system of at most this size, down to the last page. */
export const fillDisk = async (file: string, bytes: number): Promise<void> => {
  let filled = 0;
  // `fallocate` reserves space without writing, so it takes no time from the other faults that run at the same time.
  for (let piece = bytes; piece >= 4096; piece /= 2) {
    await run('fallocate', ['--offset', `${filled}`, '--length', `${piece}`, file]).then(
      () => (filled += piece),
      () => undefined,
    );
  }
};

export interface Trace {
  readonly output: () => Promise<string>;
  readonly detach: () => Promise<void>;
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
  // `detachAll` uses SIGKILL, because after SIGINT strace would wait for the end of a system call that it delays.
  const kill = end('SIGKILL');
  tracers.add(kill);
  await eventually('strace is attached', 20_000, () =>
    pids.every((pid) => tracer.stderr().includes(`Process ${pid} attached`)),
  );
  return { output: () => readFile(file, 'latin1'), detach: end('SIGINT') };
};

export const detachAll = async (): Promise<void> => {
  await Promise.all([...tracers].map((kill) => kill()));
};

export type Tool = 'strace' | 'mount';

const nothing = (): Promise<void> => Promise.resolve();

const tools: Readonly<Record<Tool, { readonly test: () => Promise<unknown>; readonly missing: string }>> = {
  strace: {
    test: () => run('strace', ['-o', '/dev/null', 'true']),
    missing: 'strace is not installed, or may not trace',
  },
  mount: { test: () => inTmpfs('1m', nothing), missing: 'a tmpfs can not be mounted: that needs root' },
};

/** Returns the reason why a tool cannot be used, or undefined. */
export const findMissing = (tool: Tool): Promise<string | undefined> =>
  tools[tool].test().then(
    () => undefined,
    () => tools[tool].missing,
  );

/** Defines the test of a fault. Without the tool that it needs, the test is skipped with the reason. */
export const fault = (title: string, inject: () => Promise<unknown>, tool: Tool): Test =>
  it(title, async function () {
    const missing = await findMissing(tool);
    if (missing !== undefined) {
      if (this.test !== undefined) this.test.title += ` (skipped: ${missing})`;
      this.skip();
    }
    await inject();
  });
