import { Command } from 'commander';
import { backupSqlite, refuseForeignFile } from '../../adapters/knex';
import { requireReadable } from '../store/checks/check-file';
import { requireDriver } from '../store/database';
import { databaseUrlText } from '../settings/database-url';
import { CommandFailed, notInitialized } from '../failures';
import type { Terminal } from '../terminal/terminal';
import { counted } from '../terminal/text';
import { fileName } from './arguments';
import { backupPostgres } from '../transfer/postgres-backup';
import { resolveOutputFile } from '../transfer/files';
import { type LongCommand, runLongCommand, unchangedText } from './run-long-command';

interface Options {
  readonly replace?: boolean;
}

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .summary('copy the database to a file, and check the copy')
    .description('copy the database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write', fileName)
    .option('--replace', 'replace the file if it exists')
    .action((file: string, options: Options) =>
      runLongCommand(
        terminal,
        () => unchangedText(file),
        (context) => requireDriver(() => backUp(file, options, context)),
      ),
    );

const backUp = async (file: string, options: Options, context: LongCommand): Promise<string> => {
  const { replace: mayReplace = false } = options;
  const { settings, terminal } = context;
  const { DATABASE_URL: url } = settings;
  terminal.printMessage(databaseUrlText(url), 'database');
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Postgres': {
      const target = resolveOutputFile(file, { mayReplace });
      await backupPostgres(url.connectionString, target, { ...context, environment: terminal.env });
      return `backed up to ${file} and checked, with pg_dump and pg_restore`;
    }
    case 'Sqlite': {
      requireReadable(url.filename);
      if ((await refuseForeignFile(url.filename)) === 'empty') throw notInitialized();
      const target = resolveOutputFile(file, { mayReplace, database: url.filename, isDatabase: true });
      const animals = await backupSqlite(url.filename, target, context);
      return `backed up to ${file} and checked: ${counted(animals, 'animal')}`;
    }
  }
};
