import { Command } from 'commander';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import { interruptible } from '../terminal/interruptible';
import type { Terminal } from '../terminal/terminal';
import type { BackupSummary } from '../transfer/backup/back-up';
import { exportExitCode } from './export-exit-code';
import { runCommand } from './run-command';

const textOf = ({ end, animals }: BackupSummary, file: string): string => {
  const remains = file === '-' ? 'what was written is no backup' : `${file} is as it was`;
  switch (end.outcome) {
    case 'exported':
      return `backed up and checked: ${animals} ${animals === 1 ? 'animal' : 'animals'}`;
    case 'interrupted':
      return `interrupted by ${end.signal}: ${remains}`;
    case 'reader_gone':
      return 'the reader went away: it has no backup';
    case 'failed':
      return `the backup failed: ${end.reason}; ${remains}`;
  }
};

/** `animal-store backup FILE` */
export const backupCommand = (terminal: Terminal): Command =>
  new Command('backup')
    .description('copy the database to a file, checked, while the service runs; `restore` takes it back')
    .argument('<file>', '- for standard output')
    .action((file: string) =>
      interruptible(terminal, async (interruption) => {
        const { backUp } = await import('../transfer/backup/back-up.js');
        await runCommand(terminal, (settings) =>
          pipe(
            TE.fromTask(backUp(file, settings, terminal, interruption)),
            TE.map((summary) => {
              terminal.say(textOf(summary, file));
              terminal.fail(exportExitCode(summary.end));
            }),
          ),
        );
      }),
    );
