/** Result of one check of the command `doctor`. doctor.ts and ports.ts make it, and commands/doctor.ts prints it. */
export interface CheckResult {
  readonly check: string;
  readonly ok: boolean;
  readonly isWarning?: true;
  readonly text: string;
}

export const passed = (check: string, text: string): CheckResult => ({ check, ok: true, text });

export const failed = (check: string, text: string): CheckResult => ({ check, ok: false, text });

export const warned = (check: string, text: string): CheckResult => ({
  check,
  ok: true,
  isWarning: true,
  text,
});
