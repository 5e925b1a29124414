import { Command } from 'commander';
import { createReadStream, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backupSqlite, type CopyOptions, type CopyProgress, restoreSqlite } from '../../adapters/knex';
import { requireFile, requireSqliteStore, withDriver } from '../backend/database';
import { fileAdvice, giveToFolderOwner } from '../backend/database-file';
import { databaseAddressText } from '../database-address';
import { CommandFailed } from '../failures';
import type { Settings } from '../settings';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { resolveOutputFile, writeStandardOutput } from '../transfer/files';
import { showProgress } from '../transfer/progress';
import { nonEmpty, runTransfer, type TransferContext, unchangedText } from './run';

type CopyCommand = 'backup' | 'restore';

const sqliteFilename = ({ DATABASE_URL: address }: Settings, command: CopyCommand): string => {
  switch (address._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase', needsSqlite: true });
    case 'Postgres':
      throw new CommandFailed({ _tag: 'UsePostgresTools', command });
    case 'Sqlite':
      return address.filename;
  }
};

const bytesPerMegabyte = 1_000_000;

const copySqlite = async (
  { settings, terminal, signal }: TransferContext,
  command: CopyCommand,
  copy: (database: string, options: CopyOptions) => Promise<number>,
): Promise<number> => {
  const database = sqliteFilename(settings, command);
  terminal.printError(`database: ${databaseAddressText(settings.DATABASE_URL)}`);
  let progress: CopyProgress = { copied: 0, total: 0 };
  const hideProgress = showProgress(terminal, {
    unit: 'MB',
    count: () => Math.round(progress.copied / bytesPerMegabyte),
    fraction: () => (progress.total === 0 ? undefined : progress.copied / progress.total),
  });
  try {
    const onProgress = (next: CopyProgress) => (progress = next);
    return await withDriver(() => copy(database, { signal, onProgress }));
  } finally {
    hideProgress();
  }
};

interface Output {
  isBegun: boolean;
}

/** Makes the backup in a file next to the database first, so that the copy is checked before any byte is sent. */
const writeToStandardOutput = async (
  { terminal }: TransferContext,
  database: string,
  options: CopyOptions,
  output: Output,
): Promise<number> => {
  const prefix = join(dirname(resolve(database)), '.backup-');
  const advice = fileAdvice(prefix);
  if (advice !== undefined) throw new Error(`a copy next to the database can't be made: ${advice}`);
  const folder = mkdtempSync(prefix);
  try {
    const file = join(folder, 'backup.sqlite3');
    const animals = await backupSqlite(database, file, options);
    output.isBegun = true;
    await writeStandardOutput(terminal.stdout, createReadStream(file), options.signal);
    return animals;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const backUp = (file: string, mayReplace: boolean, context: TransferContext, output: Output) =>
  copySqlite(context, 'backup', async (database, options) => {
    requireFile(context.settings);
    await requireSqliteStore(database);
    if (file === '-') return writeToStandardOutput(context, database, options, output);
    const { path } = resolveOutputFile(file, database);
    return backupSqlite(database, path, { ...options, mayReplace });
  });

const restore = (file: string, mayReplace: boolean, context: TransferContext) =>
  copySqlite(context, 'restore', async (database, options) => {
    const isNew = !existsSync(database);
    const advice = isNew ? fileAdvice(database) : undefined;
    if (advice !== undefined) throw new Error(`${database} can't be created: ${advice}`);
    const animals = await restoreSqlite(file, database, { ...options, mayReplace });
    if (isNew) giveToFolderOwner(database);
    return animals;
  });

interface Options {
  readonly replace?: boolean;
}

/** Makes the command `backup`. command-line.ts adds it and `restore` to the program. */
export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy a SQLite database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write, or - for standard output; an earlier backup is replaced', nonEmpty)
    .option('--replace', 'replace the file even if it is not a backup, or is a database that may be in use')
    .action((file: string, { replace = false }: Options) => {
      const output = { isBegun: false };
      const outputText = () =>
        output.isBegun ? 'the output is incomplete; delete it' : 'nothing was written';
      return runTransfer(
        terminal,
        async (context) =>
          `backed up and checked: ${counted(await backUp(file, replace, context, output), 'animal')}`,
        {
          failed: 'the backup failed',
          remains: () => (file === '-' ? outputText() : unchangedText(file)),
        },
      );
    });

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('replace the database with a backup; stop every process that uses it first')
    .argument('<file>', 'a file that `backup` wrote', nonEmpty)
    .option('--replace', 'replace the database even if it is damaged or has animals; its animals are deleted')
    .action((file: string, { replace = false }: Options) =>
      runTransfer(
        terminal,
        async (context) =>
          `restored and checked: ${counted(await restore(file, replace, context), 'animal')}`,
        { failed: 'the restore failed', remains: () => 'the database is unchanged' },
      ),
    );
