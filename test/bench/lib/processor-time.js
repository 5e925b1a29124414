import { readFileSync } from 'node:fs';

const clockTicks = 100;

/**
 * Returns times of a process in seconds, in the order of proc(5): utime and stime of the process, and then of its ended
 * children.
 */
const timesOf = (pid) => {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return fields
    .split(' ')
    .slice(11, 15)
    .map((ticks) => Number(ticks) / clockTicks);
};

export const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** Returns the seconds of processor time that a process has used. */
export const processorSeconds = (pid) => sum(timesOf(pid).slice(0, 2));

/** Returns the seconds of processor time that a process, its children and its ended children have used. */
export const familySeconds = (pid) => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return sum([...timesOf(pid), ...children.map(processorSeconds)]);
};
