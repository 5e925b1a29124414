import { CommanderError } from 'commander';
import { existsSync } from 'node:fs';
import { exceptionCode } from '../../adapters/failures/exception-code';
import type { BackupOptions } from '../../adapters/knex';
import { reasonOf } from '../failures';
import type { DatabaseUrl } from '../settings/database-url';
import type { Settings } from '../settings/settings';
import { interruptible, receivedSignal } from '../terminal/signals';
import { type Progress, withProgress } from '../terminal/progress-bar';
import { announceStop, type Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

/** Describes what is stored if a command fails or is interrupted. */
type DescribeRemains = () => string;

/** Context of a running command that may take long. It can be passed as the options of a backup or a restore. */
export interface LongCommand extends Required<BackupOptions> {
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** Changes the progress that a bar at a terminal shows. */
  readonly showProgress: (read: () => Progress) => void;
  readonly setRemains: (describe: DescribeRemains) => void;
}

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
      const showProgress = (read: () => Progress): void => {
        readProgress = read;
      };
      const run = (withBar: Terminal): Promise<string> => {
        signal.addEventListener('abort', () => {
          announceStop(withBar, receivedSignal());
        });
        return command({
          settings,
          terminal: withBar,
          signal,
          showProgress,
          onStage: (stage, measure) => {
            showProgress(() => ({ stage, ...measure?.() }));
          },
          onFaults: (texts) => {
            for (const text of texts) withBar.printMessage(text, 'warning');
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
        // Prints no usage error, because Commander has printed it already.
        if (error instanceof CommanderError) throw error;
        const received = receivedSignal();
        if (received !== undefined) end(received, `interrupted by ${received}: ${describe()}`);
        else if (exceptionCode(error) === 'EPIPE')
          end('SIGPIPE', `the reading program closed the pipe: ${describe()}`);
        else end(1, `${reasonOf(error, settings.DATABASE_URL)}; ${describe()}`, 'error');
      }
    }),
  );

export const unchangedText = (file: string): string =>
  existsSync(file) ? `${file} is unchanged` : `${file} was not written`;

/**
 * Runs work on another database than that of DATABASE_URL. Its errors name `setting`, the setting or option that has
 * the address.
 */
export const onTarget = async <A>(url: DatabaseUrl, setting: string, work: () => Promise<A>): Promise<A> => {
  try {
    return await work();
  } catch (error) {
    throw targetError(error, url, setting);
  }
};

export const targetError = (error: unknown, url: DatabaseUrl, setting: string): Error =>
  new Error(reasonOf(error, url, setting), { cause: error });
