import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Knex } from 'knex';
import { fileReplaced, isDamage, isIoError, isLinkLoop } from '../database/errors';
import { readSize, resolveSymlink } from './file';

/**
 * Header sizes of a write-ahead log, and the first three bytes of its magic number (SQLite, "WAL-mode File Format").
 */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const magicStart = Buffer.from([0x37, 0x7f, 0x06]);

const maxLogChecks = 3;

const blockBytes = 512n;

const missing = { identity: undefined, size: 0, hasHoles: false };

/** Returns undefined if the file can't be inspected now, as in a folder that this user may not enter. */
const inspectFile = (filename: string) => {
  try {
    const found = statSync(filename, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return missing;
    const { dev, ino, size, blocks } = found;
    return { identity: `${dev} ${ino}`, size: Number(size), hasHoles: blocks * blockBytes < size };
  } catch (error) {
    return isLinkLoop(error) ? missing : undefined;
  }
};

/**
 * True if the write-ahead log starts with a valid header, is empty, or cannot be opened, as when file descriptors run
 * out. Closing the log is safe. A close releases all POSIX locks of the process on that file, but SQLite locks only the
 * database and the wal-index (`-shm`).
 */
const hasLogHeader = async (filename: string): Promise<boolean> => {
  try {
    const log = await open(filename, 'r');
    try {
      const { buffer, bytesRead } = await log.read(Buffer.alloc(magicStart.length), 0, magicStart.length, 0);
      return bytesRead === 0 || buffer.equals(magicStart);
    } finally {
      await log.close();
    }
  } catch {
    return true;
  }
};

interface Options {
  readonly reads: () => Knex;
  readonly passesQuickCheck: () => Promise<boolean>;
}

type FileState = 'sound' | 'suspect' | 'lost';

/**
 * Checks that a database file, its write-ahead log and its wal-index (`-shm`) are still the files that were opened;
 * sqlite.ts calls it. A check takes microseconds. It queries the database only if a file has become shorter.
 */
export const watchFile = (filename: string, { reads, passesQuickCheck }: Options) => {
  const identities = new Map<string, string>();
  let largestSize = 0;
  let lastLogSize = 0;
  let hasLogHoles = false;
  let isLost = false;
  let isLogDamaged = false;
  let checking: Promise<void> | undefined;

  /**
   * Returns the size of a file, which is 0 if the file never existed. Returns `lost` if the file that was opened is gone
   * or was replaced, and `unknown` if it can't be inspected now.
   */
  const inspectPart = (ending: '' | '-wal' | '-shm', base: string) => {
    const inspected = inspectFile(`${base}${ending}`);
    if (inspected === undefined) return 'unknown';
    const { identity, ...found } = inspected;
    const known = identities.get(ending);
    if (known === undefined && identity !== undefined) identities.set(ending, identity);
    return (known ?? identity) === identity ? found : 'lost';
  };

  const inspectMain = (base: string): FileState => {
    const main = inspectPart('', base);
    if (main === 'unknown') return 'sound';
    if (main === 'lost' || (main.size === 0 && largestSize > 0)) return 'lost';
    if (main.size < largestSize) return 'suspect';
    largestSize = main.size;
    return 'sound';
  };

  const inspectLog = (base: string): FileState => {
    const log = inspectPart('-wal', base);
    if (log === 'lost' || inspectPart('-shm', base) === 'lost') return 'lost';
    if (log === 'unknown') return 'sound';
    hasLogHoles = log.hasHoles;
    if (log.size < lastLogSize) return 'suspect';
    lastLogSize = log.size;
    return 'sound';
  };

  const inspect = (): FileState => {
    if (isLost) return 'lost';
    const base = resolveSymlink(filename);
    const [main, log] = [inspectMain(base), inspectLog(base)];
    isLost = main === 'lost' || log === 'lost';
    return isLost ? 'lost' : main === 'suspect' ? main : log;
  };

  /**
   * Accepts a shorter file if the database has fewer pages too, as after VACUUM. Otherwise reads the whole file to look
   * for damage.
   */
  const checkMain = async (base: string): Promise<void> => {
    const { size = largestSize } = inspectFile(base) ?? {};
    if ((await readSize(reads())) < largestSize || (await passesQuickCheck())) largestSize = size;
    else isLost = true;
  };

  /**
   * Checks that the write-ahead log has all frames that the wal-index counts. A shorter log need not be damaged,
   * because a checkpoint by another process may shorten it.
   */
  const checkLog = async (base: string): Promise<void> => {
    const { page_size: pageSize } = await reads()('pragma_page_size').first<{ page_size: number }>();
    for (let check = 0; check < maxLogChecks; check += 1) {
      const [answer] = await reads().raw<ReadonlyArray<{ log: number }>>('PRAGMA wal_checkpoint(PASSIVE)');
      const { size = lastLogSize } = inspectFile(`${base}-wal`) ?? {};
      const frames = answer?.log ?? 0;
      if (frames <= 0 || size >= logHeaderBytes + frames * (frameHeaderBytes + pageSize)) {
        lastLogSize = size;
        return;
      }
    }
    isLost = isLogDamaged = true;
  };

  const check = async (): Promise<void> => {
    const base = resolveSymlink(filename);
    try {
      // If another program empties the log, the next commit leaves a hole in place of the log's header. SQLite's
      // recovery ignores a log without a header.
      const { size = 0 } = inspectFile(`${base}-wal`) ?? {};
      if (size > 0 && !(await hasLogHeader(`${base}-wal`))) isLost = isLogDamaged = true;
      if (!isLost && inspectLog(base) === 'suspect') await checkLog(base);
      if (!isLost && inspectMain(base) === 'suspect') await checkMain(base);
    } catch (error) {
      // SQLite reports an I/O error if the log ends before a frame that the wal-index counts.
      if (isDamage(error) || isIoError(error)) isLost = isLogDamaged = true;
    }
  };

  const checkOnce = (): Promise<void> =>
    (checking ??= check().finally(() => {
      checking = undefined;
    }));

  const isSameFile = (): boolean => inspectPart('', resolveSymlink(filename)) !== 'lost';

  return {
    willOpen: (): void => {
      isSameFile();
    },
    opened: (): Error | undefined => (isSameFile() ? undefined : fileReplaced()),
    isIntact: async (): Promise<boolean> => {
      const state = inspect();
      if (state === 'lost') return false;
      if (state === 'sound' && !hasLogHoles) return true;
      // The caller has just committed. A check that is still running may have read the log before that commit, so a new
      // check follows it.
      await checking;
      await checkOnce();
      return inspect() === 'sound';
    },
    isLost: (): boolean => {
      if (inspect() !== 'lost') void checkOnce();
      return isLost;
    },
    isLogDamaged: (): boolean => isLogDamaged,
  };
};
