import { toError } from 'fp-ts/Either';
import { CommandFailed, failureText } from '../failures';
import type { DatabaseAddress } from '../settings/database-address';
import { type Interruption, signalExitCode } from '../terminal/signals';

/** `stored` is null if the database did not confirm the commit. */
export type ImportEnd =
  | { readonly outcome: 'stored'; readonly stored: number }
  | { readonly outcome: 'checked' | 'wrong_rows'; readonly stored: 0 }
  | { readonly outcome: 'interrupted'; readonly stored: 0; readonly signal: NodeJS.Signals }
  | { readonly outcome: 'failed'; readonly stored: 0; readonly reason: string }
  | { readonly outcome: 'unconfirmed'; readonly stored: null; readonly reason: string };

export type ImportSummary = ImportEnd & {
  readonly rows: number;
  readonly wrong: number;
  readonly seconds: number;
};

export class WrongRows extends Error {}

/** The store did not confirm the commit: either all animals are stored, or none. */
export class Unconfirmed extends Error {}

/** Returns the end of an import that threw. After a signal, any error counts as the interruption. */
export const failedImportEnd = (
  error: unknown,
  { receivedSignal }: Interruption,
  address: DatabaseAddress,
): ImportEnd => {
  if (error instanceof Unconfirmed) return { outcome: 'unconfirmed', stored: null, reason: error.message };
  const signal = receivedSignal();
  if (signal !== undefined) return { outcome: 'interrupted', stored: 0, signal };
  if (error instanceof WrongRows) return { outcome: 'wrong_rows', stored: 0 };
  const reason =
    error instanceof CommandFailed ? failureText(error.failure, address) : toError(error).message;
  return { outcome: 'failed', stored: 0, reason };
};

export const importExitCode = (summary: ImportSummary): number => {
  switch (summary.outcome) {
    case 'stored':
    case 'checked':
      return 0;
    case 'interrupted':
      return signalExitCode(summary.signal);
    case 'wrong_rows':
    case 'failed':
    case 'unconfirmed':
      return 1;
  }
};

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const wereStored = (count: number): string =>
  `${counted(count, 'animal')} ${count === 1 ? 'was' : 'were'} stored`;

export const importSummaryText = (summary: ImportSummary): string => {
  const { rows, wrong, seconds } = summary;
  const skipped = wrong === 0 ? '' : `, ${counted(wrong, 'invalid row')} skipped`;
  switch (summary.outcome) {
    case 'stored':
      return `${wereStored(summary.stored)}${skipped}, in ${seconds} s`;
    case 'checked':
      return `dry run: ${rows - wrong} of ${counted(rows, 'row')} would be stored${skipped}; nothing was stored`;
    case 'wrong_rows':
      return `nothing was stored: ${wrong} of ${counted(rows, 'row')} ${wrong === 1 ? 'is' : 'are'} invalid`;
    case 'interrupted':
      return `interrupted by ${summary.signal}: nothing was stored`;
    case 'failed':
      return `nothing was stored: ${summary.reason}`;
    case 'unconfirmed':
      return `the database did not confirm the commit: either ${wereStored(rows - wrong)} or nothing was stored: ${summary.reason}`;
  }
};
