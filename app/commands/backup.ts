import { Command, InvalidArgumentError } from 'commander';
import { backupSqlite, type CopyOptions, identifyFile, restoreSqlite } from '../../adapters/knex';
import { withDriver } from '../backend/database';
import { fileAdvice } from '../backend/database-file';
import { databaseAddressText } from '../database-address';
import { CommandFailed } from '../failures';
import type { Settings } from '../settings';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { nonEmpty, runTransfer, type TransferContext, unchangedText } from './run';

const sqliteFilename = ({ DATABASE_URL: address }: Settings, command: 'backup' | 'restore'): string => {
  switch (address._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase', needsSqlite: true });
    case 'Postgres':
      throw new CommandFailed({ _tag: 'UsePostgresTools', command });
    case 'Sqlite':
      return address.filename;
  }
};

const fileName = (text: string): string => {
  if (text === '-')
    throw new InvalidArgumentError('It must be a file; standard input and output do not work.');
  return nonEmpty(text);
};

const backUp = async (file: string, options: CopyOptions, settings: Settings): Promise<string> => {
  const database = sqliteFilename(settings, 'backup');
  const animals = await withDriver(async () => {
    if ((await identifyFile(database)) !== 'animal-store')
      throw new CommandFailed({ _tag: 'NotInitialized' });
    return backupSqlite(database, file, options);
  });
  return `backed up and checked: ${counted(animals, 'animal')}`;
};

const restore = async (file: string, options: CopyOptions, settings: Settings): Promise<string> => {
  const database = sqliteFilename(settings, 'restore');
  const advice = fileAdvice(database);
  if (advice !== undefined) throw new Error(`${database} can't be replaced: ${advice}`);
  const { animals, kept } = await withDriver(() => restoreSqlite(file, database, options));
  const restored = `restored and checked: ${counted(animals, 'animal')}`;
  return kept === undefined ? restored : `${restored}; the replaced database is ${kept}; delete it later`;
};

const action =
  (
    terminal: Terminal,
    run: typeof backUp,
    texts: { readonly failed: string; readonly remains: (file: string) => string },
  ) =>
  (file: string, { replace = false }: { readonly replace?: boolean }): Promise<void> =>
    runTransfer(
      terminal,
      ({ settings, signal }: TransferContext) => {
        terminal.printError(`database: ${databaseAddressText(settings.DATABASE_URL)}`);
        return run(file, { mayReplace: replace, signal }, settings);
      },
      { failed: texts.failed, remains: () => texts.remains(file) },
    );

/** Makes the command `backup`. command-line.ts adds it and `restore` to the program. */
export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy a SQLite database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write', fileName)
    .option('--replace', 'replace the file if it exists')
    .action(action(terminal, backUp, { failed: 'the backup failed', remains: unchangedText }));

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('replace the database with a backup; stop every process that uses it first')
    .argument('<file>', 'a file that `backup` wrote', fileName)
    .option('--replace', 'replace a database that is damaged or has animals; it is kept under a dated name')
    .action(
      action(terminal, restore, { failed: 'the restore failed', remains: () => 'the database is unchanged' }),
    );
