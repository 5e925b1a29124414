import { existsSync } from 'node:fs';
import { errorCode } from '../../adapters/files/error-code';
import type { BackupOptions } from '../../adapters/knex';
import { reasonOf } from '../failures';
import type { Settings } from '../settings/settings';
import { interruptible } from '../terminal/signals';
import { type Progress, withProgress } from '../terminal/progress-bar';
import { announceStop, type Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

export interface TransferContext extends Required<BackupOptions> {
  readonly settings: Settings;
  readonly terminal: Terminal;
}

export const unchangedText = (file: string): string =>
  existsSync(file) ? `${file} is unchanged` : `${file} was not written`;

interface TransferTexts {
  /** Describes what is stored after an error or a signal. */
  readonly remains: (error: unknown) => string;
  /** Returns the progress for a bar at a terminal, or undefined to show no bar. By default shows the current stage. */
  readonly progress?: () => Progress | undefined;
}

/** Runs a transfer, and aborts it at a stop signal. Prints its result, or why it failed and what is stored. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (context: TransferContext) => Promise<string>,
  { remains, progress }: TransferTexts,
): Promise<void> =>
  interruptible(({ signal, receivedSignal }) =>
    runCommand(terminal, async (settings) => {
      const end = (text: string, exitCode: number | NodeJS.Signals): void => {
        terminal.printMessage(text);
        terminal.fail(exitCode);
      };
      let readStage = (): Progress | undefined => undefined;
      const onStage: TransferContext['onStage'] = (stage, measure) => {
        readStage = () => ({ stage, ...measure?.() });
      };
      const run = (withBar: Terminal): Promise<string> => {
        signal.addEventListener('abort', () => {
          announceStop(withBar, receivedSignal());
        });
        return transfer({ settings, terminal: withBar, signal, onStage });
      };
      try {
        end(await withProgress(terminal, progress ?? (() => readStage()), run), 0);
      } catch (error) {
        const received = receivedSignal();
        if (received !== undefined) end(`interrupted by ${received}: ${remains(error)}`, received);
        else if (errorCode(error) === 'EPIPE') {
          end(`the reading program closed the pipe: ${remains(error)}`, 'SIGPIPE');
        } else end(`error: ${reasonOf(error, settings.DATABASE_URL)}; ${remains(error)}`, 1);
      }
    }),
  );
