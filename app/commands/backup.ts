import { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import { reportEnd, runTransfer } from './run';

const counted = (animals: number): string => `${animals} ${animals === 1 ? 'animal' : 'animals'}`;

export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy a SQLite database to a file while the service runs, and check the copy')
    .argument('<file>', '- for standard output; an earlier backup is replaced')
    .option('--replace', 'replace a file that is not a backup, or a database that may be in use')
    .action((file: string, { replace: mayReplace = false }: { readonly replace?: boolean }) =>
      runTransfer(terminal, async (context) => {
        const { backUp } = await import('../transfer/backup.js');
        const { end, animals } = await backUp(file, mayReplace, context);
        const remains = file === '-' ? 'the output is not a backup' : `${file} is unchanged`;
        reportEnd(terminal, end, {
          done: `backed up and checked: ${counted(animals)}`,
          readerGone: 'the reader has gone: it has no backup',
          failed: (reason) => `the backup failed: ${reason}; ${remains}`,
          remains,
        });
      }),
    );

export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('replace the database by a backup while no process has the database open')
    .argument('<file>', 'a file that `backup` wrote')
    .option('--replace', 'replace a database that holds animals, which are lost')
    .action((file: string, { replace: mayReplace = false }: { readonly replace?: boolean }) =>
      runTransfer(terminal, async (context) => {
        const { restore } = await import('../transfer/backup.js');
        const { end, animals } = await restore(file, mayReplace, context);
        reportEnd(terminal, end, {
          done: `restored and checked: ${counted(animals)}`,
          readerGone: 'nothing was restored: the reader has gone',
          failed: (reason) => `nothing was restored: ${reason}`,
          remains: 'the database is unchanged',
        });
      }),
    );
