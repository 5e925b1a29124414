import { Command } from 'commander';
import { backupSqlite, type CopyOptions, identifyFile, restoreSqlite } from '../../adapters/knex';
import { withDriver } from '../store/database';
import { fileAdvice } from '../store/file';
import { type DatabaseUrl, databaseUrlText } from '../settings/database-url';
import { CommandFailed } from '../failures';
import type { Progress } from '../terminal/progress-bar';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { fileName } from './arguments';
import { backupPostgres } from '../transfer/postgres-backup';
import { runTransfer, unchangedText } from './run-transfer';

interface Options extends CopyOptions {
  readonly environment: NodeJS.ReadOnlyDict<string>;
}

type Copy = (url: DatabaseUrl, file: string, options: Options) => Promise<string>;

const backUp: Copy = async (url, file, options) => {
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Postgres':
      await backupPostgres(url.connectionString, file, options);
      return `backed up to ${file} and checked, with pg_dump and pg_restore`;
    case 'Sqlite': {
      if ((await identifyFile(url.filename)) !== 'animal-store')
        throw new CommandFailed({ _tag: 'NotInitialized' });
      const animals = await backupSqlite(url.filename, file, options);
      return `backed up to ${file} and checked: ${counted(animals, 'animal')}`;
    }
  }
};

const restore: Copy = async (url, file, options) => {
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase', needsSqlite: true });
    case 'Postgres':
      throw new CommandFailed({ _tag: 'UsePostgresTools' });
    case 'Sqlite': {
      const { filename } = url;
      const advice = fileAdvice(filename);
      if (advice !== undefined) throw new Error(`${filename} can't be replaced: ${advice}`);
      const { animals, kept, migrated } = await restoreSqlite(file, filename, options);
      const update =
        migrated.length === 0
          ? ''
          : `; the backup is of an earlier version, so its copy was migrated: ${migrated.join(', ')}`;
      const restored = `restored and checked: ${counted(animals, 'animal')}, with the API keys of the backup${update}`;
      return kept === undefined ? restored : `${restored}; the replaced database is ${kept}; delete it later`;
    }
  }
};

const action =
  (terminal: Terminal, command: 'backup' | 'restore', copy: Copy, remains: (file: string) => string) =>
  (file: string, { replace: mayReplace = false }: { readonly replace?: boolean }): Promise<void> => {
    let progress = (): Progress | undefined => undefined;
    const onStage: CopyOptions['onStage'] = (stage, measure) => {
      progress = () => ({ stage, ...measure?.() });
    };
    return runTransfer(
      terminal,
      ({ settings, signal, terminal: { printError } }) => {
        printError(`database: ${databaseUrlText(settings.DATABASE_URL)}`);
        const options = { mayReplace, signal, environment: terminal.env, onStage };
        return withDriver(() => copy(settings.DATABASE_URL, file, options));
      },
      { failed: `the ${command} failed`, remains: () => remains(file), progress: () => progress() },
    );
  };

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .summary('copy the database to a file, and check the copy')
    .description('copy the database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write', fileName)
    .option('--replace', 'replace the file if it exists')
    .action(action(terminal, 'backup', backUp, unchangedText));

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .summary('replace a SQLite database with a backup')
    .description('replace a SQLite database with a backup; stop every process that uses it first')
    .argument('<file>', 'a file that `backup` wrote', fileName)
    .option('--replace', 'replace a database that is damaged or has animals; it is kept under a dated name')
    .action(action(terminal, 'restore', restore, () => 'the database is unchanged'));
