import { toError } from 'fp-ts/Either';
import type * as T from 'fp-ts/Task';
import * as TE from 'fp-ts/TaskEither';
import { errorCode } from '../../failures/error-code';
import { type StartFailure, startFailureText } from '../../failures/start-failure';
import type { Settings } from '../../settings/settings';
import type { Interruption, InterruptionName } from '../../terminal/interruptible';

/** How an export, a backup or a restore ended. */
export type ExportEnd =
  | { readonly outcome: 'exported' }
  | { readonly outcome: 'interrupted'; readonly signal: InterruptionName }
  | { readonly outcome: 'reader_gone' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** The animals couldn't be read, or not be written. */
interface TransferFailed {
  readonly _tag: 'TransferFailed';
  readonly cause: unknown;
}

/** Reads and writes animals: it may reject. */
export const attemptTransfer = <A>(work: () => Promise<A>): TE.TaskEither<TransferFailed, A> =>
  TE.tryCatch(work, (cause) => ({ _tag: 'TransferFailed', cause }));

/** What a transfer came to. Whatever fails after an interruption counts as the interruption. */
export const exportEnd = (
  { by }: Interruption,
  { DATABASE_URL: address }: Settings,
): ((transfer: TE.TaskEither<StartFailure | TransferFailed, unknown>) => T.Task<ExportEnd>) =>
  TE.match(
    (failure): ExportEnd => {
      const signal = by();
      if (signal !== undefined) return { outcome: 'interrupted', signal };
      if (failure._tag !== 'TransferFailed') {
        return { outcome: 'failed', reason: startFailureText(failure, address) };
      }
      return errorCode(failure.cause) === 'EPIPE'
        ? { outcome: 'reader_gone' }
        : { outcome: 'failed', reason: toError(failure.cause).message };
    },
    () => ({ outcome: 'exported' }),
  );
