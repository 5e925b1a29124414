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
import { resolveOutputFile } from '../transfer/output-file';
import { type LongCommand, runLongCommand, stagesOf, unchangedText, warningsOf } from './run-long-command';

const backUp = async (file: string, mayReplace: boolean, context: LongCommand): Promise<string> => {
  const { settings, terminal, signal } = context;
  const { DATABASE_URL: url } = settings;
  const options = { signal, onStage: stagesOf(context) };
  terminal.printMessage(databaseUrlText(url), 'database');
  switch (url._tag) {
    case 'Memory':
      throw new CommandFailed({ _tag: 'NoDatabase' });
    case 'Postgres':
      await backupPostgres(url.connectionString, resolveOutputFile(file, { mayReplace }), {
        ...options,
        environment: terminal.env,
      });
      return `backed up to ${file} and checked, with pg_dump and pg_restore`;
    case 'Sqlite': {
      requireReadable(url.filename);
      if ((await refuseForeignFile(url.filename)) === 'empty') throw notInitialized();
      const target = resolveOutputFile(file, { mayReplace, database: url.filename, isDatabase: true });
      const onFaults = warningsOf(context);
      const animals = await backupSqlite(url.filename, target, { ...options, onFaults });
      return `backed up to ${file} and checked: ${counted(animals, 'animal')}`;
    }
  }
};

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .summary('copy the database to a file, and check the copy')
    .description('copy the database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write', fileName)
    .option('--replace', 'replace the file if it exists')
    .action((file: string, { replace = false }: { readonly replace?: boolean }) =>
      runLongCommand(
        terminal,
        () => unchangedText(file),
        (context) => requireDriver(() => backUp(file, replace, context)),
      ),
    );
