import { existsSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../../support/eventually';
import { pidOf } from '../../support/processes/system';
import type { ServiceProcess } from '../../support/service/service-process';

export const peakMemory = (pid: number): number =>
  1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

export const collecting = {
  NODE_OPTIONS: `--import ${pathToFileURL(join(__dirname, 'collect-garbage.mjs')).href}`,
};

/** Returns the used heap, in megabytes, of a service that was started with the settings `collecting`. */
export const heapInUse = async (service: ServiceProcess): Promise<number> => {
  // collect-garbage.mjs writes the size of the heap to this file at a SIGUSR2.
  const file = join(tmpdir(), `heap-of-${pidOf(service)}`);
  service.signal('SIGUSR2');
  await eventually('the heap is measured', 20_000, () => existsSync(file));
  const bytes = Number(readFileSync(file, 'utf8'));
  rmSync(file);
  return Math.round(bytes / 100_000) / 10;
};

/**
 * Returns the milliseconds for which a process could run but had no processor; 0 if the system does not report them.
 */
export const starvedMs = (pid: number): number => {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1_000_000;
  } catch {
    return 0;
  }
};
