import { existsSync } from 'node:fs';
import { errorCode } from '../error-code';
import { reasonOf } from '../failure-text';
import type { Settings } from '../settings/settings';
import { interruptible } from '../terminal/signals';
import { type Progress, showProgress } from '../terminal/progress-bar';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

export interface TransferContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export const unchangedText = (file: string): string =>
  existsSync(file) ? `${file} is unchanged` : `${file} was not written`;

interface TransferTexts {
  readonly failed: string;
  /** Says what is stored after an error or a signal. */
  readonly remains: (error: unknown) => string;
  /** Says how far the command is, for a terminal. */
  readonly progress?: () => Progress;
}

/** Runs a command that stops at a signal. Prints its result or, after a failure, what is stored. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (context: TransferContext) => Promise<string>,
  { failed, remains, progress }: TransferTexts,
): Promise<void> =>
  interruptible(({ signal, receivedSignal }) =>
    runCommand(terminal, async (settings) => {
      const { clearLine, remove } = showProgress(terminal.stderr, progress);
      const printError = (text: string): void => {
        clearLine();
        terminal.printError(text);
      };
      signal.addEventListener('abort', () => {
        clearLine();
        terminal.announceStop(receivedSignal());
      });
      const end = (text: string, exitCode: number | NodeJS.Signals): void => {
        remove();
        terminal.printError(text);
        terminal.fail(exitCode);
      };
      try {
        end(await transfer({ settings, terminal: { ...terminal, printError }, signal }), 0);
      } catch (error) {
        const received = receivedSignal();
        if (received !== undefined) end(`interrupted by ${received}: ${remains(error)}`, received);
        else if (errorCode(error) === 'EPIPE') {
          end(`the reading program closed the pipe: ${remains(error)}`, 'SIGPIPE');
        } else end(`${failed}: ${reasonOf(error, settings.DATABASE_URL)}; ${remains(error)}`, 1);
      } finally {
        remove();
      }
    }),
  );
