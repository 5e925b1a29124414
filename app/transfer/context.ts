import type { Settings } from '../settings';
import type { Interruption } from '../terminal/signals';
import type { Terminal } from '../terminal/terminal';

/** Inputs of a command that a signal can interrupt. */
export interface TransferContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}
