import { Command } from 'commander';
import { withStore } from '../store/with-store';
import { withProgress } from '../terminal/progress-bar';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

export const migrateCommand = (terminal: Terminal): Command =>
  new Command('migrate')
    .summary('create or update the tables')
    .description(
      "create or update the tables; `serve` updates them too, unless older versions can't work with the update, and creates them outside production",
    )
    .option('--json', 'print the names of the migrations that this command ran, as JSON')
    .action(({ json = false }: { readonly json?: boolean }) =>
      runCommand(terminal, async (settings) => {
        const run = ({ env, printMessage }: Terminal) =>
          withStore(
            settings,
            'write',
            { mayCreate: true, mayRaiseGeneration: true, env, printMessage },
            ({ ranMigrations }) => Promise.resolve(ranMigrations),
          );
        const ran = await withProgress(terminal, () => ({ stage: 'migrating' }), run);
        terminal.print(json, { ran }, ran.length === 0 ? 'up to date' : `migrated: ${ran.join(', ')}`);
      }),
    );
