import { Command } from 'commander';
import { pipe } from 'fp-ts/function';
import * as TE from 'fp-ts/TaskEither';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

interface Options {
  readonly json?: boolean;
}

/** `animal-store migrate` */
export const migrateCommand = (terminal: Terminal): Command =>
  new Command('migrate')
    .description('bring the database up to date; `serve` does it as well')
    .option('--json', 'print the names of the migrations that ran as JSON')
    .action(async ({ json = false }: Options) => {
      const { withDatabase } = await import('../backend/with-database.js');
      const { migrate } = await import('../../adapters/knex/index.js');
      await runCommand(
        terminal,
        withDatabase((database) =>
          pipe(
            migrate(database, { mayRaiseGeneration: true, onProgress: terminal.say }),
            TE.map((ran) => {
              terminal.print(json, { ran }, ran.length === 0 ? 'up to date' : ran.join('\n'));
            }),
          ),
        ),
      );
    });
