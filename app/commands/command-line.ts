import { Command, CommanderError } from 'commander';
import { readManifest } from '../package/read-manifest';
import { type CommandEnd, openTerminal, type Surroundings, type Terminal } from '../terminal/terminal';
import { backupCommand } from './backup-command';
import { doctorCommand } from './doctor-command';
import { exportCommand } from './export-command';
import { importCommand } from './import-command';
import { keysCommand } from './keys-command';
import { migrateCommand } from './migrate-command';
import { restoreCommand } from './restore-command';
import { serveCommand } from './serve-command';

const wrongUsage = 2;

/** Has it and its subcommands write to the terminal, and throw where they would end the process. */
const putOn =
  (terminal: Terminal) =>
  (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: terminal.write,
      writeErr: (text) => {
        terminal.say(text.replace(/\n$/, ''));
      },
    });
    command.commands.forEach(putOn(terminal));
  };

/**
 * Runs the command that the arguments name; its exit code is 1 when it fails, 2 when it is no command. Each loads what
 * it runs only then: help and the keys are not to wait for an HTTP server that they don't need.
 */
export const commandLine = async (
  argv: ReadonlyArray<string>,
  surroundings: Surroundings,
): Promise<CommandEnd> => {
  const terminal = openTerminal(surroundings);
  const program = new Command('animal-store')
    .description('A catalogue of animals over HTTP. Its settings come from the environment: see the README.')
    .version(readManifest().version)
    .addCommand(serveCommand(terminal))
    .addCommand(migrateCommand(terminal))
    .addCommand(keysCommand(terminal))
    .addCommand(importCommand(terminal))
    .addCommand(exportCommand(terminal))
    .addCommand(backupCommand(terminal))
    .addCommand(restoreCommand(terminal))
    .addCommand(doctorCommand(terminal));
  putOn(terminal)(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) terminal.fail(wrongUsage);
  }
  return terminal.end();
};
