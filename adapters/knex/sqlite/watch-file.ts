import { statSync } from 'node:fs';
import { resolveSymlink } from './file';

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
 * Returns a function for sqlite.ts that is true if a database file, its write-ahead log or its wal-index (`-shm`) is not
 * the file that it saw first. It compares devices and inodes, which takes microseconds. Once true, it stays true.
 */
export const watchFile = (filename: string) => {
  const identities = new Map<string, string>();
  let isReplaced = false;
  return (endings: ReadonlyArray<string> = ['', '-wal', '-shm']): boolean => {
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
};
