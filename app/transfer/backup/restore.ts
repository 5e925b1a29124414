import { restoreSqlite } from '../../../adapters/knex';
import type { Settings } from '../../settings/settings';
import type { Interruption } from '../../terminal/interruptible';
import type { Terminal } from '../../terminal/terminal';
import { copySqlite } from './copy-sqlite';

interface RestoreOptions {
  readonly file: string;
  readonly mayReplace: boolean;
}

/** Puts a backup in the place of the database, which nobody may have open. */
export const restore = (
  { file, mayReplace }: RestoreOptions,
  settings: Settings,
  terminal: Terminal,
  interruption: Interruption,
) =>
  copySqlite(settings, terminal, interruption, (database, options) =>
    restoreSqlite(file, database, { ...options, mayReplace }),
  );
