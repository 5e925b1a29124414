import * as TE from 'fp-ts/TaskEither';
import { interruptible } from '../terminal/interruptible';
import type { Terminal } from '../terminal/terminal';
import type { TransferContext } from '../transfer/transfer-context';
import { runCommand } from './run-command';

/** Runs a command that a signal may end, from before its modules are loaded on. It says itself how it ended. */
export const runTransfer = (
  terminal: Terminal,
  transfer: (context: TransferContext) => Promise<void>,
): Promise<void> =>
  interruptible(terminal, (interruption) =>
    runCommand(terminal, (settings) => TE.fromTask(() => transfer({ settings, terminal, interruption }))),
  );
