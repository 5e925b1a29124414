import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { messageOf } from '../failures';
import { exportEnvironment } from '../settings/environment';
import { overrideByFile, readDotEnv } from '../settings/environment-file';
import { openTerminal, type ProcessIO } from '../terminal/terminal';
import { readVersion } from '../version';
import { backupCommand } from './backup';
import { copyCommand } from './copy';
import { demoCommand } from './demo';
import { doctorCommand } from './doctor';
import { exportCommand } from './export';
import { styleHelp } from './help';
import { importCommand } from './import';
import { keysCommand } from './keys';
import { logCommand } from './log';
import { migrateCommand } from './migrate';
import { petsCommand } from './pets';
import { restoreCommand } from './restore';
import { serveCommand } from './serve';

const usageExitCode = 2;

export const commandLine = async (argv: ReadonlyArray<string>, io: ProcessIO): Promise<number> => {
  const env = { ...io.env };
  const terminal = openTerminal({ stdout: io.stdout, stderr: io.stderr, env });
  const program = new Command('animal-store')
    .description(
      'Serves a catalogue of animals over HTTP. Environment variables configure it: see `serve --help`.',
    )
    .version(readVersion(), '-V, --version', 'print the version')
    // Avoids the name `--env-file`, because Node itself reads that option, even if it follows the name of the script.
    .option(
      '--environment-file <file>',
      'file of NAME=value lines, which override the environment',
      (file: string) => {
        try {
          for (const warning of overrideByFile(file, env, io.env)) terminal.printMessage(warning, 'warning');
        } catch (error) {
          throw new InvalidArgumentError(`can't be used: ${messageOf(error)}`);
        }
      },
    )
    .hook('preAction', () => {
      readDotEnv(env, terminal.printMessage);
      exportEnvironment(env, io.env);
    })
    .commandsGroup('Service:')
    .addCommand(serveCommand(terminal))
    .addCommand(doctorCommand(terminal))
    .addCommand(demoCommand(terminal))
    .commandsGroup('Keys and animals:')
    .addCommand(keysCommand(terminal))
    .addCommand(petsCommand(terminal))
    .addCommand(logCommand(terminal))
    .addCommand(importCommand(terminal))
    .addCommand(exportCommand(terminal))
    .commandsGroup('Database:')
    .addCommand(migrateCommand(terminal))
    .addCommand(backupCommand(terminal))
    .addCommand(restoreCommand(terminal))
    .addCommand(copyCommand(terminal));
  styleHelp(program, terminal);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) terminal.setExitCode(usageExitCode);
  }
  return terminal.end();
};
