import { statSync } from 'node:fs';
import { fileReplaced, isDamage } from '../database/database-error';

/** A file that can't be looked at is as good as gone. */
const lookAt = (filename: string) => {
  try {
    const { dev, ino, size } = statSync(filename, { bigint: true });
    return { identity: `${dev} ${ino}`, size };
  } catch {
    return { identity: undefined, size: 0n };
  }
};

/** What the database itself can tell of its file. */
interface Witness {
  /** How long it ought to be, in bytes, with what only the write-ahead log has so far. */
  readonly readSize: () => Promise<bigint>;
  /** Whether everything in it can be read; it reads everything. */
  readonly isWhole: () => Promise<boolean>;
}

/**
 * Watches whether the file of an open database is still the same one; a look costs microseconds. A file that became shorter
 * was vacuumed or cut off. It was vacuumed if the database is shorter too; if that has grown again since, all of it is
 * read to know.
 */
export const watchFile = (filename: string, { readSize, isWhole }: Witness) => {
  let first: string | undefined;
  let largest = 0n;
  let isGone = false;
  let isAsking = false;

  const askWhy = async (size: bigint): Promise<void> => {
    isAsking = true;
    try {
      if ((await readSize()) < largest || (await isWhole())) largest = size;
      else isGone = true;
    } catch (error) {
      if (isDamage(error)) isGone = true;
    } finally {
      isAsking = false;
    }
  };

  /** Answers with whether the file is as long as it ever was. */
  const look = (): boolean => {
    const { identity, size } = lookAt(filename);
    if (first !== undefined && first !== identity) isGone = true;
    if (size >= largest) {
      largest = size;
      return true;
    }
    if (size === 0n) isGone = true;
    else if (!isAsking) void askWhy(size);
    return false;
  };

  return {
    /** To be called when a connection has opened the file; an error where it is not the one that others have open. */
    remember: (): Error | undefined => {
      const { identity } = lookAt(filename);
      first ??= identity;
      return first === identity ? undefined : fileReplaced();
    },
    /** Whether it was removed, replaced or cut off. */
    isFileReplaced: (): boolean => {
      look();
      return isGone;
    },
    /** Whether it certainly was not. */
    isFileIntact: (): boolean => look() && !isGone,
  };
};
