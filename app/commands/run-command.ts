import * as E from 'fp-ts/Either';
import { mayBeCommitted } from '../../adapters/knex';
import { invalidFieldTexts } from '../../core';
import { CommandFailed, reasonOf } from '../failures';
import { settingWarnings } from '../settings/warnings';
import { readSettings, type Settings } from '../settings/settings';
import { type CommandStore, withStore } from '../store/with-store';
import type { Terminal } from '../terminal/terminal';

/**
 * Runs a command with the settings from the environment. Reports invalid settings and a CommandFailed with exit code 1.
 * Rethrows other errors.
 */
export const runCommand = async (
  { env, printMessage, setExitCode }: Terminal,
  command: (settings: Settings) => Promise<void>,
): Promise<void> => {
  const report = (text: string): void => {
    printMessage(text, 'error');
    setExitCode(1);
  };
  const settings = readSettings(env);
  for (const warning of settingWarnings(env, settings)) printMessage(warning, 'warning');
  if (E.isLeft(settings)) {
    invalidFieldTexts(settings.left).forEach(report);
    return;
  }
  try {
    await command(settings.right);
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    report(reasonOf(error, settings.right.DATABASE_URL));
  }
};

/** Sets `mayHaveChanged` in the failure of a change that may have been committed. */
const withOutcome = (error: unknown): unknown =>
  error instanceof CommandFailed &&
  error.failure._tag === 'Unavailable' &&
  mayBeCommitted(error.failure.cause)
    ? new CommandFailed({ ...error.failure, mayHaveChanged: true })
    : error;

export const runOnStore = (
  terminal: Terminal,
  purpose: 'read' | 'write',
  command: (store: CommandStore, settings: Settings) => Promise<void>,
): Promise<void> =>
  runCommand(terminal, (settings) =>
    withStore(settings, purpose, { env: terminal.env, printMessage: terminal.printMessage }, (store) =>
      command(store, settings).catch((error: unknown) => {
        throw purpose === 'write' ? withOutcome(error) : error;
      }),
    ),
  );
