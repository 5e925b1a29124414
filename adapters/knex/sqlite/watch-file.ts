import { statSync } from 'node:fs';
import { fileReplaced } from '../database/errors';
import { resolveSymlink } from './file';

const inspected = ['', '-wal', '-shm'] as const;

/** Returns undefined if the file is missing, and `unknown` if this user can't look it up now. */
const identityOf = (path: string): string | undefined => {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false });
    return found && `${found.dev} ${found.ino}`;
  } catch {
    return 'unknown';
  }
};

/**
 * Checks that a database file, its write-ahead log and its wal-index (`-shm`) are still the files that were opened;
 * sqlite.ts calls it. Compares devices and inodes, which takes microseconds. A lost file stays lost.
 */
export const watchFile = (filename: string) => {
  const identities = new Map<string, string>();
  let isReplaced = false;

  const check = (endings: ReadonlyArray<(typeof inspected)[number]>): boolean => {
    const base = resolveSymlink(filename);
    for (const ending of endings) {
      const identity = identityOf(`${base}${ending}`);
      const known = identities.get(ending);
      if (identity === 'unknown') continue;
      if (known !== undefined && known !== identity) isReplaced = true;
      else if (identity !== undefined) identities.set(ending, identity);
    }
    return isReplaced;
  };

  return {
    /** Remembers the database file. Without an open connection, SQLite may still delete the log. */
    willOpen: (): void => void check(['']),
    /** Returns an error if the database file was replaced since `willOpen`. */
    opened: (): Error | undefined => (check(['']) ? fileReplaced() : undefined),
    /** The same for a connection that holds the log open, and so keeps other processes from deleting it. */
    openedWithLog: (): Error | undefined => (check(inspected) ? fileReplaced() : undefined),
    isReplaced: (): boolean => check(inspected),
  };
};
