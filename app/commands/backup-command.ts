import { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import { concludeExport } from './conclude-export';
import { runTransfer } from './run-transfer';

/** `animal-store backup FILE` */
export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy the database to a file, checked, while the service runs; `restore` takes it back')
    .argument('<file>', '- for standard output')
    .action((file: string) =>
      runTransfer(terminal, async (context) => {
        const { backUp } = await import('../transfer/backup/back-up.js');
        const { end, animals } = await backUp(file, context)();
        const remains = file === '-' ? 'what was written is no backup' : `${file} is as it was`;
        concludeExport(terminal, end, {
          exported: `backed up and checked: ${animals} ${animals === 1 ? 'animal' : 'animals'}`,
          readerGone: 'the reader went away: it has no backup',
          failed: (reason) => `the backup failed: ${reason}; ${remains}`,
          remains,
        });
      }),
    );
