import * as TE from 'fp-ts/TaskEither';
import type { Settings } from '../settings/settings';
import { type Interruption, interruptible } from '../terminal/interruptible';
import type { Terminal } from '../terminal/terminal';
import { runCommand } from './run-command';

/** Runs a command that a signal may end, from before its modules are loaded on. It says itself how it ended. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (settings: Settings, interruption: Interruption) => Promise<void>,
): Promise<void> =>
  interruptible(terminal, (interruption) =>
    runCommand(terminal, (settings) => TE.fromTask(() => transfer(settings, interruption))),
  );
