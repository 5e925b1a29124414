import { Command } from 'commander';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run';

export const migrateCommand = (terminal: Terminal): Command =>
  new Command('migrate')
    .description(
      'create or update the tables; `serve` does this too, unless older versions could not use the result',
    )
    .option('--json', 'print the names of the migrations that this command ran, as JSON')
    .action(async ({ json = false }: { readonly json?: boolean }) => {
      const { printError, print } = terminal;
      const { withDatabase } = await import('../backend/database.js');
      await runCommand(terminal, (settings) =>
        withDatabase(settings, { isMigrateCommand: true, printError }, ({ ran }) => {
          print(json, { ran }, ran.length === 0 ? 'up to date' : ran.join('\n'));
          return Promise.resolve();
        }),
      );
    });
