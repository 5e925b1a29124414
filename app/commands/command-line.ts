import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { toError } from 'fp-ts/Either';
import { openTerminal, type ProcessIO, type Terminal } from '../terminal/terminal';
import { backupCommand, restoreCommand } from './backup';
import { doctorCommand } from './doctor';
import { exportCommand } from './export';
import { importCommand } from './import';
import { keysCommand } from './keys';
import { migrateCommand } from './migrate';
import { readVersion } from './run';
import { serveCommand } from './serve';

const usageExitCode = 2;

const emptyCommentOrAssignment = /^\s*(?:#.*|(?:export\s+)?[A-Za-z_]\w*\s*=.*)?$/;

const quotedValue = /=\s*(["'`])[^]*?\1/g;

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(toError(error).message);
  }
};

/** Rejects lines that Node's `parseEnv` skips silently, so that no setting gets lost. */
const readEnvironmentFile = (file: string): NodeJS.ReadOnlyDict<string> => {
  const text = readText(file);
  const lines = text.replace(quotedValue, (value) => `=${value.replace(/[^\n]/g, '')}`).split(/\r?\n/);
  const wrong = lines.findIndex((line) => !emptyCommentOrAssignment.test(line));
  if (wrong !== -1) throw new InvalidArgumentError(`line ${wrong + 1} is not NAME=value`);
  return parseEnv(text);
};

const connectTo =
  (terminal: Terminal) =>
  (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: terminal.write,
      writeErr: (text) => {
        terminal.printError(text.replace(/\n$/, ''));
      },
    });
    command.commands.forEach(connectTo(terminal));
  };

export const commandLine = async (argv: ReadonlyArray<string>, io: ProcessIO) => {
  const env = { ...io.env };
  const terminal = openTerminal({ stdout: io.stdout, stderr: io.stderr, env });
  const program = new Command('animal-store')
    .description(
      'Serves a catalogue of animals over HTTP. Environment variables configure it: see docs/configuration.md.',
    )
    .version(readVersion())
    // Not named `--env-file`, which Node reads itself, even after the script: `node main.js --env-file x`.
    .option(
      '--environment-file <file>',
      'read settings from a file of NAME=value lines; they override the environment',
      (file: string) => {
        Object.assign(env, readEnvironmentFile(file));
      },
    )
    .addCommand(serveCommand(terminal))
    .addCommand(migrateCommand(terminal))
    .addCommand(keysCommand(terminal))
    .addCommand(importCommand(terminal))
    .addCommand(exportCommand(terminal))
    .addCommand(backupCommand(terminal))
    .addCommand(restoreCommand(terminal))
    .addCommand(doctorCommand(terminal));
  connectTo(terminal)(program);
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) terminal.fail(usageExitCode);
  }
  return terminal.end();
};
