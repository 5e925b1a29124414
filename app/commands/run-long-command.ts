import { CommanderError } from 'commander';
import { existsSync } from 'node:fs';
import { errorCode } from '../../adapters/files/error-code';
import type { BackupOptions } from '../../adapters/knex';
import { reasonOf } from '../failures';
import type { Settings } from '../settings/settings';
import { interruptible, receivedSignal } from '../terminal/signals';
import { type Progress, withProgress } from '../terminal/progress-bar';
import { announceStop, type Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

/** Describes what is stored if a command fails or is interrupted. */
type DescribeRemains = () => string;

/** Context of a running command that may take long. */
export interface LongCommand {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  /** Changes the progress that a bar at a terminal shows. */
  readonly showProgress: (read: () => Progress) => void;
  readonly setRemains: (describe: DescribeRemains) => void;
}

/** Makes the callback with which a backup or a restore shows its stage. */
export const stagesOf =
  ({ showProgress }: LongCommand): Required<BackupOptions>['onStage'] =>
  (stage, measure) => {
    showProgress(() => ({ stage, ...measure?.() }));
  };

/** Makes the callback with which a backup or a restore warns of animals that no request can read. */
export const warningsOf =
  ({ terminal }: LongCommand): Required<BackupOptions>['onFaults'] =>
  (texts) => {
    for (const text of texts) terminal.printMessage(text, 'warning');
  };

export const unchangedText = (file: string): string =>
  existsSync(file) ? `${file} is unchanged` : `${file} was not written`;

/**
 * Runs a command that may take long, and aborts it at a stop signal. Prints its result. After a failure, prints the
 * reason and what is stored, by `describeRemains` or by the last function that the command has passed to `setRemains`.
 */
export const runLongCommand = (
  terminal: Terminal,
  describeRemains: DescribeRemains,
  command: (context: LongCommand) => Promise<string>,
): Promise<void> =>
  interruptible((signal) =>
    runCommand(terminal, async (settings) => {
      let describe = describeRemains;
      let readProgress = (): Progress | undefined => undefined;
      const run = (withBar: Terminal): Promise<string> => {
        signal.addEventListener('abort', () => {
          announceStop(withBar, receivedSignal());
        });
        return command({
          settings,
          terminal: withBar,
          signal,
          showProgress: (read) => {
            readProgress = read;
          },
          setRemains: (changed) => {
            describe = changed;
          },
        });
      };
      const end = (code: number | NodeJS.Signals, text: string, kind?: 'error'): void => {
        terminal.printMessage(text, kind);
        terminal.setExitCode(code);
      };
      try {
        end(0, await withProgress(terminal, () => readProgress(), run));
      } catch (error) {
        // A usage error is already printed.
        if (error instanceof CommanderError) throw error;
        const received = receivedSignal();
        if (received !== undefined) end(received, `interrupted by ${received}: ${describe()}`);
        else if (errorCode(error) === 'EPIPE')
          end('SIGPIPE', `the reading program closed the pipe: ${describe()}`);
        else end(1, `${reasonOf(error, settings.DATABASE_URL)}; ${describe()}`, 'error');
      }
    }),
  );
