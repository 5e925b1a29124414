import * as E from 'fp-ts/Either';
import { fieldErrorTexts } from '../../core';
import { CommandFailed, failureText } from '../failures';
import { readSettings, type Settings } from '../settings/settings';
import { interruptible, signalExitCode } from '../terminal/signals';
import type { Terminal } from '../terminal/terminal';
import type { TransferContext, TransferEnd } from '../transfer/transfer';

/** Reads the settings and runs a command with them. Prints a `CommandFailed` and sets exit code 1. */
export const runCommand = async (
  { env, printError, fail }: Terminal,
  command: (settings: Settings) => Promise<void>,
): Promise<void> => {
  const report = (text: string): void => {
    printError(`animal-store: ${text}`);
    fail(1);
  };
  const settings = readSettings(env);
  if (E.isLeft(settings)) {
    report(fieldErrorTexts(settings.left).join('\n'));
    return;
  }
  try {
    await command(settings.right);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    report(failureText(error.failure, settings.right.DATABASE_URL));
  }
};

/** Runs a command that a signal can end, even while its modules load. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (context: TransferContext) => Promise<void>,
): Promise<void> =>
  interruptible(terminal, (interruption) =>
    runCommand(terminal, (settings) => transfer({ settings, terminal, interruption })),
  );

interface EndTexts {
  readonly done: string;
  readonly readerGone: string;
  readonly failed: (reason: string) => string;
  readonly remains: string;
}

export const reportEnd = ({ printError, fail }: Terminal, end: TransferEnd, texts: EndTexts): void => {
  switch (end.outcome) {
    case 'done':
      printError(texts.done);
      break;
    case 'interrupted':
      printError(`interrupted by ${end.signal}: ${texts.remains}`);
      fail(signalExitCode(end.signal));
      break;
    case 'reader_gone':
      printError(texts.readerGone);
      fail(signalExitCode('SIGPIPE'));
      break;
    case 'failed':
      printError(texts.failed(end.reason));
      fail(1);
  }
};
