type CheckName = 'settings' | 'port' | 'database' | 'durability' | 'limits' | 'migrations' | 'keys' | 'clock';

export interface CheckResult {
  readonly check: CheckName;
  readonly ok: boolean;
  readonly text: string;
}

export const passed = (check: CheckName, text: string): CheckResult => ({ check, ok: true, text });

export const failed = (check: CheckName, text: string): CheckResult => ({ check, ok: false, text });
