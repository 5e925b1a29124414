/** How one check of the doctor ended, in words; of one that failed, with what to do about it. */
export interface CheckResult {
  readonly check:
    'settings' | 'port' | 'database' | 'durability' | 'limits' | 'migrations' | 'keys' | 'clock';
  readonly ok: boolean;
  readonly text: string;
}

export const passed = (check: CheckResult['check'], text: string): CheckResult => ({ check, ok: true, text });

export const failed = (check: CheckResult['check'], text: string): CheckResult => ({
  check,
  ok: false,
  text,
});
