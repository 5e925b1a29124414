import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { readFileSync } from 'node:fs';
import { toError } from 'fp-ts/Either';
import { openTerminal, type ProcessIO, type Terminal } from '../terminal/terminal';
import { backupCommand, restoreCommand } from './backup';
import { copyCommand } from './copy';
import { doctorCommand } from './doctor';
import { exportCommand } from './export';
import { importCommand } from './import';
import { keysCommand } from './keys';
import { migrateCommand } from './migrate';
import { readVersion } from './run';
import { serveCommand } from './serve';

const usageExitCode = 2;

const spaces = String.raw`[ \t]*`;
const comment = String.raw`#[^\r\n]*`;
const quotedValue = String.raw`(?<quote>["'\`])(?<quoted>(?:(?!\k<quote>)[^])*)\k<quote>`;
const plainValue = String.raw`(?![ \t"'\`])(?<plain>[^#\r\n]*?)`;
const name = String.raw`(?:export[ \t]+)?(?<name>[A-Za-z_]\w*)`;
const assignment = `${name}${spaces}=${spaces}(?:${quotedValue}|${plainValue})`;
const commentAfterSpace = String.raw`(?:(?<=[ \t])${comment})?`;

const environmentLine = new RegExp(
  String.raw`${spaces}(?:${comment}|${assignment}${spaces}${commentAfterSpace})?(?:\n|$)`,
  'gy',
);

const readText = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new InvalidArgumentError(toError(error).message);
  }
};

const valueOf = ({ quote, quoted = '', plain = quoted }: NodeJS.ReadOnlyDict<string>): string =>
  quote === '"' ? quoted.replaceAll('\\n', '\n') : plain;

/**
 * Reads NAME=value lines. Node's `parseEnv` would skip or misread some lines silently, such as a name after a blank
 * line with a space. A value that contains `#` must be in quotes, because `parseEnv` starts a comment there, and
 * systemd does not.
 */
const readEnvironmentFile = (file: string): NodeJS.ReadOnlyDict<string> => {
  const text = readText(file)
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n');
  const rest = text.replace(environmentLine, '');
  if (rest !== '') {
    const line = text.slice(0, -rest.length).split('\n').length;
    throw new InvalidArgumentError(
      `line ${line} is not NAME=value; check that each quote is closed, that a value with # is in quotes, and that a space precedes a comment`,
    );
  }
  const assignments = [...text.matchAll(environmentLine)].flatMap(({ groups: { name, ...value } = {} }) =>
    name === undefined ? [] : [[name, valueOf(value)] as const],
  );
  return Object.fromEntries(assignments);
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

/**
 * Runs the command line of `animal-store`, and returns the exit code to main.ts. `isStopped` is true if a signal
 * stopped the command.
 */
export const commandLine = async (argv: ReadonlyArray<string>, io: ProcessIO) => {
  const env = { ...io.env };
  const terminal = openTerminal({ stdout: io.stdout, stderr: io.stderr, env });
  const program = new Command('animal-store')
    .description(
      'Serves a catalogue of animals over HTTP. Environment variables configure it: see docs/configuration.md.',
    )
    .version(readVersion())
    // The name is not `--env-file`, because Node itself reads that option, even if it follows the name of the script.
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
    .addCommand(copyCommand(terminal))
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
