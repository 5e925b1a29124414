import { Command } from 'commander';
import { counted } from '../terminal/text';
import type { Terminal } from '../terminal/terminal';
import { runTransfer, unchangedText } from './run';

interface Options {
  readonly replace?: boolean;
}

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy a SQLite database to a file, also while the service runs, and check the copy')
    .argument('<file>', 'file to write, or - for standard output; an earlier backup is replaced')
    .option('--replace', 'replace the file even if it is not a backup, or is a database that may be in use')
    .action((file: string, { replace = false }: Options) =>
      runTransfer(
        terminal,
        async (context) => {
          const { backUp } = await import('../transfer/backup.js');
          return `backed up and checked: ${counted(await backUp(file, replace, context), 'animal')}`;
        },
        {
          failed: 'the backup failed',
          remains: () => (file === '-' ? 'the output is not a backup' : unchangedText(file)),
        },
      ),
    );

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('replace the database with a backup; stop every process that uses it first')
    .argument('<file>', 'a file that `backup` wrote')
    .option('--replace', 'replace the database even if it has animals, which are lost, or is damaged')
    .action((file: string, { replace = false }: Options) =>
      runTransfer(
        terminal,
        async (context) => {
          const { restore } = await import('../transfer/backup.js');
          return `restored and checked: ${counted(await restore(file, replace, context), 'animal')}`;
        },
        { failed: 'the restore failed', remains: () => 'the database is unchanged' },
      ),
    );
