import { InvalidArgumentError, Option } from 'commander';
import * as E from 'fp-ts/Either';
import * as t from 'io-ts';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { decodeOrThrow, invalidFieldTexts } from '../../core';
import { errorCode } from '../error-code';
import { reasonOf } from '../failure-text';
import { CommandFailed } from '../failures';
import { misspeltSettings, settingWarnings } from '../settings/warnings';
import { readSettings, type Settings } from '../settings/settings';
import { interruptible } from '../terminal/signals';
import type { Terminal } from '../terminal/terminal';
import { formats } from '../transfer/formats';

export const readVersion = (): string =>
  decodeOrThrow(t.type({ version: t.string }), createRequire(__filename)('#manifest')).version;

export const nonEmpty = (text: string): string => {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
};

export const formatOption = (): Option =>
  new Option('--format <format>', 'format of the file, if its name does not show it').choices(formats);

export const missingFormat =
  'error: the file name does not show the format; add --format ndjson or --format csv';

/**
 * Runs a command with the settings from the environment, and prints why it failed. `serve`, `migrate` and `keys` call
 * it directly. Commands that transfer animals call it through `runTransfer`.
 */
export const runCommand = async (
  { env, printError, fail }: Terminal,
  command: (settings: Settings) => Promise<void>,
): Promise<void> => {
  const report = (text: string): void => {
    printError(`animal-store: ${text}`);
    fail(1);
  };
  const settings = readSettings(env);
  if (E.isLeft(settings)) {
    for (const warning of misspeltSettings(env)) printError(`warning: ${warning}`);
    invalidFieldTexts(settings.left).forEach(report);
    return;
  }
  for (const warning of settingWarnings(env, settings.right)) printError(`warning: ${warning}`);
  try {
    await command(settings.right);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    report(reasonOf(error, settings.right.DATABASE_URL));
  }
};

export interface TransferContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

export const unchangedText = (file: string): string =>
  existsSync(file) ? `${file} is unchanged` : `${file} was not written`;

interface TransferTexts {
  readonly failed: string;
  /** Says what is stored after an error or a signal. */
  readonly remains: (error: unknown) => string;
  /** Says how far the command is. A terminal shows it every five seconds. */
  readonly progress?: () => string;
}

const progressIntervalMs = 5_000;

/** Runs a command that stops at a signal. Prints its result or, after a failure, what is stored. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (context: TransferContext) => Promise<string>,
  { failed, remains, progress }: TransferTexts,
): Promise<void> =>
  interruptible(({ signal, receivedSignal }) =>
    runCommand(terminal, async (settings) => {
      const end = (text: string, exitCode: number | NodeJS.Signals): void => {
        terminal.printError(text);
        terminal.fail(exitCode);
      };
      const timer = setInterval(() => {
        if (progress !== undefined && terminal.stderr.isTTY === true) terminal.printError(progress());
      }, progressIntervalMs);
      try {
        end(await transfer({ settings, terminal, signal }), 0);
      } catch (error) {
        const received = receivedSignal();
        if (received !== undefined) end(`interrupted by ${received}: ${remains(error)}`, received);
        else if (errorCode(error) === 'EPIPE') {
          end(`the reading program closed the pipe: ${remains(error)}`, 'SIGPIPE');
        } else end(`${failed}: ${reasonOf(error, settings.DATABASE_URL)}; ${remains(error)}`, 1);
      } finally {
        clearInterval(timer);
      }
    }),
  );
