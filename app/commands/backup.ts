import { Command, InvalidArgumentError } from 'commander';
import { backupSqlite, type CopyOptions, identifyFile, restoreSqlite } from '../../adapters/knex';
import { withDriver } from '../store/database';
import { fileAdvice } from '../store/file';
import { databaseUrlText } from '../settings/database-url';
import { CommandFailed } from '../failures';
import type { Settings } from '../settings/settings';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { nonEmpty } from './arguments';
import { runTransfer, unchangedText } from './run-transfer';

const sqliteFilename = ({ DATABASE_URL: url }: Settings, command: 'backup' | 'restore'): string => {
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase', needsSqlite: true });
    case 'Postgres':
      throw new CommandFailed({ _tag: 'UsePostgresTools', command });
    case 'Sqlite':
      return url.filename;
  }
};

const fileName = (text: string): string => {
  if (text === '-')
    throw new InvalidArgumentError('It must be a file; standard input and output do not work.');
  return nonEmpty(text);
};

const backUp = async (database: string, file: string, options: CopyOptions): Promise<string> => {
  if ((await identifyFile(database)) !== 'animal-store') throw new CommandFailed({ _tag: 'NotInitialized' });
  const animals = await backupSqlite(database, file, options);
  return `backed up and checked: ${counted(animals, 'animal')}`;
};

const restore = async (database: string, file: string, options: CopyOptions): Promise<string> => {
  const advice = fileAdvice(database);
  if (advice !== undefined) throw new Error(`${database} can't be replaced: ${advice}`);
  const { animals, kept } = await restoreSqlite(file, database, options);
  const restored = `restored and checked: ${counted(animals, 'animal')}, with the API keys of the backup`;
  return kept === undefined ? restored : `${restored}; the replaced database is ${kept}; delete it later`;
};

const action =
  (
    terminal: Terminal,
    command: 'backup' | 'restore',
    copy: typeof backUp,
    remains: (file: string) => string,
  ) =>
  (file: string, { replace: mayReplace = false }: { readonly replace?: boolean }): Promise<void> =>
    runTransfer(
      terminal,
      ({ settings, signal }) => {
        terminal.printError(`database: ${databaseUrlText(settings.DATABASE_URL)}`);
        const database = sqliteFilename(settings, command);
        return withDriver(() => copy(database, file, { mayReplace, signal }));
      },
      { failed: `the ${command} failed`, remains: () => remains(file) },
    );

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy a SQLite database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write', fileName)
    .option('--replace', 'replace the file if it exists')
    .action(action(terminal, 'backup', backUp, unchangedText));

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('replace the database with a backup; stop every process that uses it first')
    .argument('<file>', 'a file that `backup` wrote', fileName)
    .option('--replace', 'replace a database that is damaged or has animals; it is kept under a dated name')
    .action(action(terminal, 'restore', restore, () => 'the database is unchanged'));
