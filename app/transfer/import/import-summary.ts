import { toError } from 'fp-ts/Either';
import type { DatabaseAddress } from '../../settings/database-address';
import type { InterruptionName } from '../../terminal/interruptible';
import { type StartFailure, startFailureText } from '../../failures/start-failure';
import type { ImportRowsFailure } from './import-rows';

/** How an import ended. `stored` is what is in because of it: all or nothing, null where only the database knows. */
export type ImportEnd =
  | { readonly outcome: 'stored'; readonly stored: number }
  | { readonly outcome: 'checked' | 'wrong_rows'; readonly stored: 0 }
  | { readonly outcome: 'interrupted'; readonly stored: 0; readonly signal: InterruptionName }
  | { readonly outcome: 'failed'; readonly stored: 0; readonly reason: string }
  | { readonly outcome: 'unconfirmed'; readonly stored: null; readonly reason: string };

/** What `--json` prints of an import. */
export type ImportSummary = ImportEnd & {
  /** Rows that were read, the wrong ones among them. */
  readonly rows: number;
  readonly wrong: number;
  readonly seconds: number;
};

export type ImportFailure = StartFailure | ImportRowsFailure;

const failed = (reason: string): ImportEnd => ({ outcome: 'failed', stored: 0, reason });

/** What a failed import came to. Whatever fails after an interruption counts as the interruption, but for an open commit. */
export const failedImportEnd = (
  failure: ImportFailure,
  interruptedBy: InterruptionName | undefined,
  address: DatabaseAddress,
): ImportEnd => {
  if (failure._tag === 'Unconfirmed') {
    return { outcome: 'unconfirmed', stored: null, reason: toError(failure.cause).message };
  }
  if (interruptedBy !== undefined) return { outcome: 'interrupted', stored: 0, signal: interruptedBy };
  switch (failure._tag) {
    case 'WrongRows':
      return { outcome: 'wrong_rows', stored: 0 };
    case 'ImportAborted':
      return failed(toError(failure.cause).message);
    default:
      return failed(startFailureText(failure, address));
  }
};
