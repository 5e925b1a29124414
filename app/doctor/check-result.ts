/** What a look at one thing found, in words; where it is a fault, with what to do about it. */
export interface Finding {
  readonly check:
    'settings' | 'port' | 'database' | 'durability' | 'limits' | 'migrations' | 'keys' | 'clock';
  readonly ok: boolean;
  readonly text: string;
}

export const finding = (check: Finding['check'], ok: boolean, text: string): Finding => ({ check, ok, text });
