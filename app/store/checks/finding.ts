import type { DatabaseFinding } from '../../../adapters/knex';

export type CheckName =
  | DatabaseFinding['check']
  | 'settings'
  | 'user'
  | 'file'
  | 'mount'
  | 'driver'
  | 'migration'
  | 'schema'
  | 'rights'
  | 'animals'
  | 'quota'
  | 'keys'
  | 'port';

/** Result of a check of the database (DatabaseFinding), or of something else. */
export interface Finding extends Omit<DatabaseFinding, 'check'> {
  readonly check: CheckName;
}

export type Findings = ReadonlyArray<Finding>;

export const passed = (check: CheckName, text: string): Finding => ({ check, severity: 'passed', text });

export const warned = (check: CheckName, text: string): Finding => ({ check, severity: 'warning', text });

export const failed = (check: CheckName, text: string): Finding => ({ check, severity: 'failed', text });
