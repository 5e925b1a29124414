type CheckName =
  'settings' | 'port' | 'database' | 'durability' | 'timeouts' | 'migrations' | 'keys' | 'clock';

/** Result of one check of the command `doctor`. doctor.ts and ports.ts make it, and commands/doctor.ts prints it. */
export interface CheckResult {
  readonly check: CheckName;
  readonly ok: boolean;
  readonly isWarning?: true;
  readonly text: string;
}

export const passed = (check: CheckName, text: string): CheckResult => ({ check, ok: true, text });

export const failed = (check: CheckName, text: string): CheckResult => ({ check, ok: false, text });

export const warned = (check: CheckName, text: string): CheckResult => ({
  check,
  ok: true,
  isWarning: true,
  text,
});
