import type { Knex } from 'knex';
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileReplaced, isDamage } from '../database/errors';
import { withPool } from '../database/pool';
import { findDamage, openReadOnly, readSize, resolveSymlink } from './file';

/** Parts of a write-ahead log (SQLite, "WAL-mode File Format"). A frame repeats the salts of the log's header. */
const magicStart = Buffer.from([0x37, 0x7f, 0x06]);
const logHeaderBytes = 32;
const logSalts = { start: 16, end: 24 };
const frameHeaderBytes = 24;
const frameSaltsStart = 8;

const maxLogChecks = 10;

const blockBytes = 512n;

/** Treats a file that cannot be inspected as removed. */
const inspectFile = (filename: string) => {
  try {
    const { dev, ino, size, blocks } = statSync(filename, { bigint: true });
    return { identity: `${dev} ${ino}`, size: Number(size), hasHoles: blocks * blockBytes < size };
  } catch {
    return { identity: undefined, size: 0, hasHoles: false };
  }
};

interface CheckedFrames {
  readonly salts: Buffer;
  readonly count: number;
}

/**
 * Checks that a log has a header and its first `count` frames, but not again those in `checked`. Returns undefined if
 * the log was cut: SQLite then writes at its old end, and what is missing before that end reads as zeros.
 */
const checkFrames = async (
  filename: string,
  count: number,
  pageBytes: number,
  checked: CheckedFrames,
): Promise<CheckedFrames | undefined> => {
  // A close releases all POSIX locks on a file. SQLite has none on the log, only on the database and the `-shm` file.
  const log = await open(filename, 'r');
  try {
    const read = async (position: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await log.read(Buffer.alloc(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    };
    const header = await read(0, logHeaderBytes);
    if (header.length === 0) return count === 0 ? checked : undefined;
    if (!header.subarray(0, magicStart.length).equals(magicStart)) return undefined;
    const salts = header.subarray(logSalts.start, logSalts.end);
    const first = salts.equals(checked.salts) ? checked.count : 1;
    for (let frame = Math.max(first, 1); frame <= count; frame += 1) {
      const start = logHeaderBytes + (frame - 1) * (frameHeaderBytes + pageBytes);
      if (!(await read(start + frameSaltsStart, salts.length)).equals(salts)) return undefined;
    }
    const end = logHeaderBytes + count * (frameHeaderBytes + pageBytes);
    return count > 0 && (await log.stat()).size < end ? undefined : { salts, count };
  } finally {
    await log.close();
  }
};

/** State of the data: certainly readable (`sound`), perhaps unreadable (`suspect`) or unreadable (`lost`). */
type FileState = 'sound' | 'suspect' | 'lost';

/**
 * Checks that a database file, its write-ahead log and the log's index are still the ones that were opened. A check
 * takes microseconds. It queries the database only if a file has become shorter or the log has holes.
 */
export const watchFile = (filename: string, reads: () => Knex) => {
  const identities = new Map<string, string>();
  let largestSize = 0;
  let lastLogSize = 0;
  let hasLogHoles = false;
  let checkedFrames: CheckedFrames = { salts: Buffer.alloc(0), count: 0 };
  let isLost = false;
  let isLogDamaged = false;
  let checking: Promise<void> | undefined;

  /** Returns undefined if the first file of this name was removed or replaced. A file that never existed has size 0. */
  const inspectPart = (ending: '' | '-wal' | '-shm', base: string) => {
    const { identity, ...found } = inspectFile(`${base}${ending}`);
    const known = identities.get(ending);
    if (known === undefined && identity !== undefined) identities.set(ending, identity);
    return (known ?? identity) === identity ? found : undefined;
  };

  const inspectMain = (base: string): FileState => {
    const main = inspectPart('', base);
    if (main === undefined || (main.size === 0 && largestSize > 0)) return 'lost';
    if (main.size < largestSize) return 'suspect';
    largestSize = main.size;
    return 'sound';
  };

  const inspectLog = (base: string): FileState => {
    const log = inspectPart('-wal', base);
    if (log === undefined || inspectPart('-shm', base) === undefined) return 'lost';
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

  /** Checks over a new connection: open ones may still have cached pages that are missing from the file. */
  const passesQuickCheck = (): Promise<boolean> =>
    withPool(openReadOnly(filename), async (file) => (await findDamage(file, 'quick_check')) === undefined);

  /** Accepts a shorter file if its database has fewer pages, as after VACUUM. Otherwise reads all of it for damage. */
  const checkMain = async (base: string): Promise<void> => {
    const { size } = inspectFile(base);
    if ((await readSize(reads())) < largestSize || (await passesQuickCheck())) largestSize = size;
    else isLost = true;
  };

  /** Returns how many frames the log has by its index. Before SQLite 3.51, NOOP means PASSIVE. */
  const countFrames = async () => {
    const { page_size: pageBytes } = await reads()('pragma_page_size').first<{ page_size: number }>();
    const [answer] = await reads().raw<ReadonlyArray<{ log: number }>>('PRAGMA wal_checkpoint(NOOP)');
    return { count: Math.max(answer?.log ?? 0, 0), pageBytes };
  };

  /** Accepts a shorter log, or one with holes, that has every frame: a checkpoint of any process may shorten the log. */
  const checkLog = async (base: string): Promise<void> => {
    const isSuspect = inspectLog(base) === 'suspect' || hasLogHoles;
    // Another process may restart the log between the count and the reads.
    for (let check = 0; check < maxLogChecks; check += 1) {
      const { count, pageBytes } = isSuspect ? await countFrames() : { count: 0, pageBytes: 0 };
      const { size } = inspectFile(`${base}-wal`);
      const found = await checkFrames(`${base}-wal`, count, pageBytes, checkedFrames);
      if (found === undefined) continue;
      if (isSuspect) checkedFrames = found;
      lastLogSize = size;
      return;
    }
    isLost = isLogDamaged = true;
  };

  const check = async (): Promise<void> => {
    const base = resolveSymlink(filename);
    try {
      await checkLog(base);
      if (!isLost && inspectMain(base) === 'suspect') await checkMain(base);
    } catch (error) {
      if (isDamage(error)) isLost = isLogDamaged = true;
    }
  };

  const checkOnce = (): Promise<void> =>
    (checking ??= check().finally(() => {
      checking = undefined;
    }));

  const isSameFile = (): boolean => inspectPart('', resolveSymlink(filename)) !== undefined;

  return {
    /** Records the identity of the file. Call it before a connection opens the file. */
    willOpen: (): void => {
      isSameFile();
    },
    /** Returns an error if a connection may have opened another file. Call it after the connection opens the file. */
    opened: (): Error | undefined => (isSameFile() ? undefined : fileReplaced()),
    /** Reports whether all earlier writes are certain to be in the file. */
    isIntact: async (): Promise<boolean> => {
      const state = inspect();
      if (state === 'lost') return false;
      // A log that was truncated and written at its old end is sparse, which `stat` shows by its block count.
      if (state === 'sound' && !hasLogHoles) return true;
      // A check that began before the commit may have read the log before it was damaged.
      await checking;
      await checkOnce();
      return inspect() === 'sound';
    },
    isLost: (): boolean => {
      if (inspect() !== 'lost') void checkOnce();
      return isLost;
    },
    /** True if a checkpoint would copy a damaged log into the file. Closing the last connection runs a checkpoint. */
    isLogDamaged: (): boolean => isLogDamaged,
  };
};
