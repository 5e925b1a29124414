import { readFileSync } from 'node:fs';
import type { Running } from '../../support/command';

export const pidOf = ({ pid }: Running): number => {
  if (pid === undefined) throw new Error('the program was not started');
  return pid;
};

/** The processes that a process has started and that run. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).map(Number);
