import { toError } from 'fp-ts/Either';
import { errorCode } from '../error-code';
import { CommandFailed, failureText } from '../failures';
import type { Settings } from '../settings/settings';
import type { Interruption } from '../terminal/signals';
import type { Terminal } from '../terminal/terminal';

export interface TransferContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}

export type TransferEnd =
  | { readonly outcome: 'done' }
  | { readonly outcome: 'interrupted'; readonly signal: NodeJS.Signals }
  | { readonly outcome: 'reader_gone' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** Runs a transfer and returns its end. After a signal, any error counts as the interruption. */
export const runToEnd = async (
  { settings, interruption }: TransferContext,
  transfer: () => Promise<void>,
): Promise<TransferEnd> => {
  try {
    await transfer();
    return { outcome: 'done' };
  } catch (error) {
    const signal = interruption.receivedSignal();
    if (signal !== undefined) return { outcome: 'interrupted', signal };
    if (error instanceof CommandFailed) {
      return { outcome: 'failed', reason: failureText(error.failure, settings.DATABASE_URL) };
    }
    return errorCode(error) === 'EPIPE'
      ? { outcome: 'reader_gone' }
      : { outcome: 'failed', reason: toError(error).message };
  }
};
