import type { DatabaseFinding } from '../../adapters/knex';

export type CheckName =
  | DatabaseFinding['check']
  | ('settings' | 'user' | 'file' | 'mount' | 'driver' | 'schema' | 'clock' | 'rights' | 'keys' | 'port');

/** Result of a check. `doctor` prints all results, and a start of `serve` prints warnings and failures. */
export interface Finding {
  readonly check: CheckName;
  readonly ok: boolean;
  readonly isWarning?: true;
  readonly text: string;
}

export const passed = (check: CheckName, text: string): Finding => ({ check, ok: true, text });

export const failed = (check: CheckName, text: string): Finding => ({ check, ok: false, text });

export const warned = (check: CheckName, text: string): Finding => ({
  check,
  ok: true,
  isWarning: true,
  text,
});
