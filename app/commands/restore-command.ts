import { Command } from 'commander';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { interruptible } from '../terminal/interruptible';
import type { Terminal } from '../terminal/terminal';
import type { BackupSummary } from '../transfer/backup/back-up';
import { exportExitCode } from './export-exit-code';
import { runCommand } from './run-command';

interface Options {
  readonly replace?: boolean;
}

const textOf = ({ end, animals }: BackupSummary): string => {
  switch (end.outcome) {
    case 'exported':
      return `restored and checked: ${animals} ${animals === 1 ? 'animal' : 'animals'}`;
    case 'interrupted':
      return `interrupted by ${end.signal}: the database is as it was`;
    case 'reader_gone':
    case 'failed':
      return `nothing was restored: ${end.outcome === 'failed' ? end.reason : 'the reader went away'}`;
  }
};

/** `animal-store restore FILE` */
export const restoreCommand = (terminal: Terminal): Command =>
  new Command('restore')
    .description('put a backup in the place of the database, which nothing may have open')
    .argument('<file>', 'what `backup` has written')
    .option('--replace', 'even where there are animals, which are lost')
    .action((file: string, { replace = false }: Options) =>
      interruptible(terminal, async (interruption) => {
        const { restore } = await import('../transfer/backup/restore.js');
        await runCommand(terminal, (settings) =>
          pipe(
            TE.fromTask(restore({ file, mayReplace: replace }, settings, terminal, interruption)),
            TE.map((summary) => {
              terminal.say(textOf(summary));
              terminal.fail(exportExitCode(summary.end));
            }),
          ),
        );
      }),
    );
