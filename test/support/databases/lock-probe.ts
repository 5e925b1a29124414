import { openSqlite } from '../../../adapters/knex';

/** Tells whether another process is in the middle of writing to a SQLite file. */
export interface LockProbe {
  readonly isHeld: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

export const lockProbe = (file: string): LockProbe => {
  const { writes, close } = openSqlite(file);
  return {
    isHeld: async () => {
      await writes.raw('PRAGMA busy_timeout = 0');
      try {
        await writes.raw('begin immediate');
      } catch {
        return true;
      }
      await writes.raw('rollback');
      return false;
    },
    close,
  };
};
