import { readFileSync } from 'node:fs';

/** The most memory that a process has had so far, in bytes. */
export const peakMemory = (pid: number): number =>
  1024 * Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
