import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHistogram } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../support/eventually';
import { pidOf } from '../../support/processes/system';
import type { ServiceProcess } from '../../support/service/service-process';

const microseconds = 1_000;

/** Statistics of durations in milliseconds. The values are NaN if nothing was measured. */
export interface Tally {
  readonly count: number;
  readonly p99: number;
}

export const noTally: Tally = { count: 0, p99: NaN };

export const newTally = () => {
  const histogram = createHistogram();
  return {
    record: (milliseconds: number): void => {
      histogram.record(Math.max(1, Math.round(milliseconds * microseconds)));
    },
    read: (): Tally => {
      if (histogram.count === 0) return noTally;
      return { count: histogram.count, p99: histogram.percentile(99) / microseconds };
    },
  };
};

export const newTallies = () => {
  const tallies: Record<string, ReturnType<typeof newTally>> = {};
  return {
    record: (status: string, milliseconds: number): void => {
      (tallies[status] ??= newTally()).record(milliseconds);
    },
    read: () => Object.fromEntries(Object.entries(tallies).map(([status, tally]) => [status, tally.read()])),
  };
};

export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;

export const peakMemory = (pid: number): number =>
  1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

/** Unit of processor time in Linux: hundredths of a second. */
const ticksPerSecond = 100;

/** Returns the processor time that a process has used, with all its threads and the kernel's work for it. */
export const processorSeconds = (pid: number): number => {
  const [, text = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = text.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
};

export const collecting = {
  NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, 'collect-garbage.mjs')).href}`,
};

/** Returns the used heap, in megabytes, of a service that was started with the settings `collecting`. */
export const heapInUse = async (service: ServiceProcess): Promise<number> => {
  // collect-garbage.mjs writes this file.
  const file = join(tmpdir(), `heap-of-${pidOf(service)}`);
  service.signal('SIGUSR2');
  await eventually('the heap is measured', 20_000, () => existsSync(file));
  const bytes = Number(readFileSync(file, 'utf8'));
  rmSync(file);
  return Math.round(bytes / 100_000) / 10;
};

/** Returns the milliseconds for which a process could run but had no processor; 0 if the system does not report them. */
export const starvedMs = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1_000_000;
  } catch {
    return 0;
  }
};
