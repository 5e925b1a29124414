import { statSync } from 'node:fs';
import { fileReplaced, tryOrError } from '../database/errors';
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

/** Endings of the names of a database file, its write-ahead log and its wal-index. */
export type WatchedEnding = '' | '-wal' | '-shm';

const allEndings: ReadonlyArray<WatchedEnding> = ['', '-wal', '-shm'];

/**
 * Watches a database file, its write-ahead log and its wal-index by their devices and inodes, which takes microseconds.
 * `check` remembers each file that it sees for the first time. It throws if the file is a different one later, and
 * always throws after that.
 */
export const watchFile = (filename: string) => {
  const identities = new Map<string, string>();
  let isReplaced = false;
  const check = (endings: ReadonlyArray<WatchedEnding> = allEndings): void => {
    const base = resolveSymlink(filename);
    for (const ending of endings) {
      const identity = identityOf(`${base}${ending}`);
      const known = identities.get(ending);
      if (identity === 'unknown') continue;
      if (known !== undefined && known !== identity) isReplaced = true;
      else if (identity !== undefined) identities.set(ending, identity);
    }
    if (isReplaced) throw fileReplaced();
  };
  return { check, isReplaced: (): boolean => tryOrError(check) instanceof Error };
};
