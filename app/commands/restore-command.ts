import { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import { concludeExport } from './conclude-export';
import { runTransfer } from './run-transfer';

/** `animal-store restore FILE` */
export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('put a backup in the place of the database, which nothing may have open')
    .argument('<file>', 'what `backup` has written')
    .option('--replace', 'even where there are animals, which are lost')
    .action((file: string, { replace: mayReplace = false }: { readonly replace?: boolean }) =>
      runTransfer(terminal, async (context) => {
        const { restore } = await import('../transfer/backup/restore.js');
        const { end, animals } = await restore(file, mayReplace, context)();
        concludeExport(terminal, end, {
          exported: `restored and checked: ${animals} ${animals === 1 ? 'animal' : 'animals'}`,
          readerGone: 'nothing was restored: the reader went away',
          failed: (reason) => `nothing was restored: ${reason}`,
          remains: 'the database is as it was',
        });
      }),
    );
