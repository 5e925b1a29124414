import type { Settings } from '../settings/settings';
import type { Interruption } from '../terminal/interruptible';
import type { Terminal } from '../terminal/terminal';

/** What every transfer of animals is run with. */
export interface TransferContext {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly interruption: Interruption;
}
