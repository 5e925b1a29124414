import { Command, CommanderError, InvalidArgumentError } from 'commander';
import * as E from 'fp-ts/Either';
import { pipe } from 'fp-ts/function';
import { readFileSync } from 'node:fs';
import { messageOf } from '../failures';
import { openTerminal, type ProcessIO, type Terminal } from '../terminal/terminal';
import { backupCommand } from './backup';
import { copyCommand } from './copy';
import { demoCommand } from './demo';
import { doctorCommand } from './doctor';
import { readDotEnv } from '../settings/dot-env';
import { isSet } from '../settings/environment';
import { parseEnvironmentFile } from '../settings/environment-file';
import { override } from '../settings/secrets';
import { ignoredVariables } from '../settings/warnings';
import { exportCommand } from './export';
import { styleHelp } from './help';
import { importCommand } from './import';
import { keysCommand } from './keys';
import { logCommand } from './log';
import { migrateCommand } from './migrate';
import { petsCommand } from './pets';
import { restoreCommand } from './restore';
import { serveCommand } from './serve';
import { readVersion } from '../version';

const usageExitCode = 2;

const readEnvironmentFile = (file: string): Readonly<Record<string, string>> =>
  pipe(
    E.tryCatch(() => readFileSync(file), messageOf),
    E.chain(parseEnvironmentFile),
    E.getOrElseW((message) => {
      throw new InvalidArgumentError(`can't be used: ${message}`);
    }),
  );

/** Variables that Node reads only at startup, with advice on how to set them. */
const readByNode = {
  NODE_EXTRA_CA_CERTS: 'set sslrootcert in DATABASE_URL',
  NODE_USE_SYSTEM_CA: 'set sslrootcert in DATABASE_URL',
  NODE_OPTIONS: 'export it before this command, if the command needs it',
} as const;

/**
 * Sets variables of `env` to those of a file. Warns of variables that Node has read already, and of an address of the
 * database in the environment that the file replaces.
 */
const overrideByFile = (
  file: string,
  env: NodeJS.Dict<string>,
  processEnv: NodeJS.ReadOnlyDict<string>,
  { printMessage }: Terminal,
): void => {
  const variables = readEnvironmentFile(file);
  for (const [name, advice] of Object.entries(readByNode))
    if (variables[name] !== undefined && variables[name] !== processEnv[name])
      printMessage(
        `warning: ${name} in ${file} has no effect, because Node reads it when it starts; ${advice}`,
      );
  override(env, variables);
  for (const name of ['DATABASE_URL', 'DATABASE_URL_FILE'])
    if (isSet(processEnv, name) && processEnv[name] !== env[name])
      printMessage(`warning: ${name} of the environment is ignored, because ${file} sets the address`);
};

/**
 * Copies the settings into the process environment, for PostgreSQL's driver and pg_dump. Removes libpq variables that
 * would contradict DATABASE_URL, or that only one of these programs reads.
 */
const exportEnvironment = (env: NodeJS.ReadOnlyDict<string>, processEnv: NodeJS.Dict<string>): void => {
  Object.assign(processEnv, env);
  for (const name of ignoredVariables(env)) Reflect.deleteProperty(processEnv, name);
};

export const commandLine = async (argv: ReadonlyArray<string>, io: ProcessIO): Promise<number> => {
  const env = { ...io.env };
  const terminal = openTerminal({ stdout: io.stdout, stderr: io.stderr, env });
  const program = new Command('animal-store')
    .description(
      'Serves a catalogue of animals over HTTP. Environment variables configure it: see `serve --help`.',
    )
    .version(readVersion(), '-V, --version', 'print the version')
    // The name is not `--env-file`, because Node itself reads that option, even if it follows the name of the script.
    .option(
      '--environment-file <file>',
      'file of NAME=value lines, which override the environment',
      (file: string) => {
        overrideByFile(file, env, io.env, terminal);
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
