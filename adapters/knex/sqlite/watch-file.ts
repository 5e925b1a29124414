import { statSync } from 'node:fs';
import { resolveSymlink } from '../../files/paths';
import { walEndings } from './database-file';

/** Returns the device and inode of a file, undefined if it is missing, or `unknown` if they can't be read. */
const identityOf = (path: string): string | undefined => {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  } catch {
    return 'unknown';
  }
};

/** Ending of the name of a database file, of its write-ahead log or of its wal-index. */
type WatchedEnding = '' | (typeof walEndings)[number];

const allEndings: ReadonlyArray<WatchedEnding> = ['', ...walEndings];

/**
 * Detects by device and inode that a database file, its write-ahead log or its wal-index was removed or replaced.
 * `check` remembers each file that it sees for the first time. Once a call finds such a file missing, or another file
 * under its name, that call and all later ones throw. A call takes microseconds.
 */
export const watchFile = (filename: string) => {
  const identities = new Map<string, string>();
  let isReplaced = false;
  const look = (endings: ReadonlyArray<WatchedEnding>): boolean => {
    const base = resolveSymlink(filename);
    for (const ending of endings) {
      const identity = identityOf(`${base}${ending}`);
      const earlier = identities.get(ending);
      if (identity === 'unknown') continue;
      if (earlier !== undefined && earlier !== identity) isReplaced = true;
      else if (identity !== undefined) identities.set(ending, identity);
    }
    return isReplaced;
  };
  return {
    check: (endings: ReadonlyArray<WatchedEnding> = allEndings): void => {
      if (look(endings)) throw new Error('the database file or its log was removed or replaced');
    },
    isReplaced: (): boolean => look(allEndings),
  };
};
