import type { ImportSummary } from './import-summary';

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const wereStored = (count: number): string =>
  `${counted(count, 'animal')} ${count === 1 ? 'was' : 'were'} stored`;

/** What is in, and why no more, in one line. */
export const importSummaryText = (summary: ImportSummary): string => {
  const { rows, wrong, seconds } = summary;
  const leftOut = wrong === 0 ? '' : `, ${counted(wrong, 'wrong row')} left out`;
  switch (summary.outcome) {
    case 'stored':
      return `${wereStored(summary.stored)}${leftOut}, in ${seconds} s`;
    case 'checked':
      return `dry run: ${rows - wrong} of ${counted(rows, 'row')} would be stored${leftOut}; nothing was`;
    case 'wrong_rows':
      return `nothing was stored: ${wrong} of ${counted(rows, 'row')} ${wrong === 1 ? 'is' : 'are'} wrong`;
    case 'interrupted':
      return `interrupted by ${summary.signal}: nothing was stored`;
    case 'failed':
      return `nothing was stored: ${summary.reason}`;
    case 'unconfirmed':
      return `either ${wereStored(rows - wrong)} or nothing: the database did not confirm it: ${summary.reason}`;
  }
};
