import { existsSync, readFileSync } from 'node:fs';
import type { Running } from './command';

export const pidOf = ({ pid }: Running): number => {
  if (pid === undefined) throw new Error('the program was not started');
  return pid;
};

/** The processes that a process has started and that run. */
export const childrenOf = (pid: number): ReadonlyArray<number> =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(/\s+/)
    .filter((pid) => pid !== '')
    .map(Number);

const signalIfThere = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
};

/** Signals a process and those that it has started; some of them may end meanwhile. */
export const signalFamily = (pid: number, name: NodeJS.Signals): void => {
  const family = existsSync(`/proc/${pid}`) ? [pid, ...childrenOf(pid)] : [];
  for (const each of family) signalIfThere(each, name);
};
