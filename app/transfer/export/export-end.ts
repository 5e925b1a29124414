import type { DatabaseAddress } from '../../settings/database-address';
import { errorText } from '../../failures/error-text';
import type { InterruptionName } from '../../terminal/interruptible';
import { type StartFailure, startFailureText } from '../../failures/start-failure';

/** How an export ended. */
export type ExportEnd =
  | { readonly outcome: 'exported' }
  | { readonly outcome: 'interrupted'; readonly signal: InterruptionName }
  | { readonly outcome: 'reader_gone' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** The animals couldn't be read, or not be written. */
export interface TransferFailed {
  readonly _tag: 'TransferFailed';
  readonly cause: unknown;
}

const isReaderGone = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'EPIPE';

/** What a failed export came to. Whatever fails after an interruption counts as the interruption. */
export const failedExportEnd = (
  failure: StartFailure | TransferFailed,
  interruptedBy: InterruptionName | undefined,
  address: DatabaseAddress,
): ExportEnd => {
  if (interruptedBy !== undefined) return { outcome: 'interrupted', signal: interruptedBy };
  if (failure._tag !== 'TransferFailed')
    return { outcome: 'failed', reason: startFailureText(failure, address) };
  return isReaderGone(failure.cause)
    ? { outcome: 'reader_gone' }
    : { outcome: 'failed', reason: errorText(failure.cause) };
};
