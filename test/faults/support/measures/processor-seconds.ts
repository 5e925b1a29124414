import { readFileSync } from 'node:fs';

/** Linux counts a process's time in hundredths of a second. */
const ticks = 100;

/** The processor time that a process has taken since it began, its threads' and the kernel's for it. */
export const processorSeconds = (pid: number): number => {
  const [, text = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = text.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
};
