import { existsSync } from 'node:fs';
import { errorCode } from '../error-code';
import { reasonOf } from '../failure-text';
import type { Settings } from '../settings/settings';
import { interruptible } from '../terminal/signals';
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
  /** Says how far the command is. A terminal shows it every five seconds. */
  readonly progress?: () => string;
}

const progressIntervalMs = 5_000;

/** Runs a command that stops at a signal. Prints its result or, after a failure, what is stored. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (context: TransferContext) => Promise<string>,
  { failed, remains, progress }: TransferTexts,
): Promise<void> =>
  interruptible(({ signal, receivedSignal }) =>
    runCommand(terminal, async (settings) => {
      signal.addEventListener('abort', () => {
        terminal.announceStop(receivedSignal());
      });
      const end = (text: string, exitCode: number | NodeJS.Signals): void => {
        terminal.printError(text);
        terminal.fail(exitCode);
      };
      const timer = setInterval(() => {
        if (progress !== undefined && terminal.stderr.isTTY === true) terminal.printError(progress());
      }, progressIntervalMs);
      try {
        end(await transfer({ settings, terminal, signal }), 0);
      } catch (error) {
        const received = receivedSignal();
        if (received !== undefined) end(`interrupted by ${received}: ${remains(error)}`, received);
        else if (errorCode(error) === 'EPIPE') {
          end(`the reading program closed the pipe: ${remains(error)}`, 'SIGPIPE');
        } else end(`${failed}: ${reasonOf(error, settings.DATABASE_URL)}; ${remains(error)}`, 1);
      } finally {
        clearInterval(timer);
      }
    }),
  );
