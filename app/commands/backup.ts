import { Command } from 'commander';
import { backupSqlite, type BackupOptions, refuseForeignFile } from '../../adapters/knex';
import { withDriver } from '../store/database';
import { requireReadable } from '../store/file';
import { notInitialized } from '../store/opening';
import { databaseUrlText } from '../settings/database-url';
import { CommandFailed } from '../failures';
import type { Settings } from '../settings/settings';
import type { Progress } from '../terminal/progress-bar';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { fileName } from './arguments';
import { backupPostgres } from '../transfer/postgres-backup';
import { resolveTarget } from '../transfer/target';
import { runTransfer, unchangedText } from './run-transfer';

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

const backUp: FileCommand<object> = async ({ DATABASE_URL: url }, file, options) => {
  const { mayReplace, printError } = options;
  printError(`database: ${databaseUrlText(url)}`);
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Postgres':
      await backupPostgres(url.connectionString, resolveTarget(file, { mayReplace }), options);
      return `backed up to ${file} and checked, with pg_dump and pg_restore`;
    case 'Sqlite': {
      requireReadable(url.filename);
      if ((await refuseForeignFile(url.filename)) === 'empty') throw notInitialized();
      const target = resolveTarget(file, { mayReplace, database: url.filename, isDatabase: true });
      const animals = await backupSqlite(url.filename, target, options);
      return `backed up to ${file} and checked: ${counted(animals, 'animal')}`;
    }
  }
};

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

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .summary('copy the database to a file, and check the copy')
    .description('copy the database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write', fileName)
    .option('--replace', 'replace the file if it exists')
    .action(fileCommandAction(terminal, backUp, unchangedText));
