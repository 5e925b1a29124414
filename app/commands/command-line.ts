import { Command, CommanderError } from 'commander';
import { doctorCommand } from './doctor-command';
import { exportCommand } from './export-command';
import { importCommand } from './import-command';
import { keysCommand } from './keys-command';
import { migrateCommand } from './migrate-command';
import { serveCommand } from './serve-command';
import { readManifest } from '../package/read-manifest';

const exitCodes = { success: 0, usage: 2 };

const throwInsteadOfExit = (command: Command): void => {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
};

/**
 * Runs the command that the arguments name; sets the exit code 1 when it fails, 2 when it is no command. Each
 * loads what it runs only then: help and the keys are not to wait for an HTTP server that they don't need.
 */
export const commandLine = async (argv: ReadonlyArray<string>): Promise<void> => {
  const program = new Command('animal-store')
    .description('A catalogue of animals over HTTP. Its settings come from the environment: see the README.')
    .version(readManifest().version)
    .addCommand(serveCommand())
    .addCommand(migrateCommand())
    .addCommand(keysCommand())
    .addCommand(importCommand())
    .addCommand(exportCommand())
    .addCommand(doctorCommand());
  throwInsteadOfExit(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
  }
};
