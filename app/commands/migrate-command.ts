import { Command } from 'commander';
import * as TE from 'fp-ts/TaskEither';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

/** `animal-store migrate` */
export const migrateCommand = (terminal: Terminal): Command =>
  new Command('migrate')
    .description('bring the database up to date; `serve` does it as well')
    .option('--json', 'print the names of the migrations that ran as JSON')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { withDatabase } = await import('../backend/with-database.js');
      await runCommand(
        terminal,
        withDatabase({ mayRaiseGeneration: true, onProgress: terminal.say }, (_database, ran) =>
          TE.fromIO(() => {
            terminal.print(json, { ran }, ran.length === 0 ? 'up to date' : ran.join('\n'));
          }),
        ),
      );
    });
