import { readFile } from 'node:fs/promises';
import { startProgram } from '../../../support/processes/command';
import { eventually } from '../../../support/eventually';

/** In milliseconds. */
const attachBound = 20_000;

/** strace on processes that run; `detach` lets them go on as if it had never been there. */
export interface Trace {
  readonly output: () => Promise<string>;
  readonly detach: () => Promise<void>;
  /** Ends strace at once: it does not notice that a process dies whose system call it delays. */
  readonly kill: () => Promise<void>;
}

const tracers = new Set<() => Promise<void>>();

/** Attaches strace with the given options to processes and all their threads, and writes its output to a file. */
export const attachStrace = async (
  pids: ReadonlyArray<number>,
  options: ReadonlyArray<string>,
  file: string,
): Promise<Trace> => {
  const tracer = startProgram('strace', [
    ...['-f', '-o', file],
    ...options,
    ...pids.flatMap((pid) => ['-p', String(pid)]),
  ]);
  const end = (signal: NodeJS.Signals) => async (): Promise<void> => {
    tracers.delete(kill);
    tracer.signal(signal);
    await tracer.ended;
  };
  const kill = end('SIGKILL');
  tracers.add(kill);
  await eventually('strace is attached', attachBound, () =>
    pids.every((pid) => tracer.stderr().includes(`Process ${pid} attached`)),
  );
  return { output: () => readFile(file, 'latin1'), detach: end('SIGINT'), kill };
};

/** Ends what a failed test has left behind. */
export const detachAll = async (): Promise<void> => {
  await Promise.all([...tracers].map((kill) => kill()));
};
