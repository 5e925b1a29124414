import type { BackupOptions } from '../../adapters/knex';
import type { Settings } from '../settings/settings';
import { withDriver } from '../store/database';
import type { Progress } from '../terminal/progress-bar';
import type { Terminal } from '../terminal/terminal';
import { runTransfer } from './run-transfer';

export type FileCommand<Options> = (
  settings: Settings,
  file: string,
  options: FileCommandContext & Options,
) => Promise<string>;

interface FileCommandContext extends BackupOptions {
  readonly mayReplace: boolean;
  readonly environment: NodeJS.ReadOnlyDict<string>;
  readonly printError: (text: string) => void;
}

interface ReplaceOption {
  readonly replace?: boolean;
}

/** Makes the action of a command that backs a database up to a file, or restores it from one. */
export const fileCommandAction =
  <Options extends ReplaceOption>(
    terminal: Terminal,
    command: FileCommand<Options>,
    remains: (file: string) => string,
  ) =>
  (file: string, options: Options): Promise<void> => {
    let progress = (): Progress | undefined => undefined;
    const onStage: BackupOptions['onStage'] = (stage, measure) => {
      progress = () => ({ stage, ...measure?.() });
    };
    return runTransfer(
      terminal,
      ({ settings, signal, terminal: { printError } }) => {
        const { replace: mayReplace = false } = options;
        const context = { mayReplace, signal, environment: terminal.env, onStage, printError };
        return withDriver(() => command(settings, file, { ...options, ...context }));
      },
      { remains: () => remains(file), progress: () => progress() },
    );
  };
