import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Knex } from 'knex';
import { fileReplaced, isDamage } from '../database/errors';
import { readSize, resolveSymlink } from './file';

/** Layout of a write-ahead log, in bytes, and the first half of its magic number (SQLite, "WAL-mode File Format"). */
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const magicStart = Buffer.from([0x37, 0x7f, 0x06]);

const maxLogQuestions = 3;

/** Unit of a file's blocks (stat(2)). */
const blockBytes = 512n;

/** Treats a file whose status cannot be read as removed. */
const inspectFile = (filename: string) => {
  try {
    const { dev, ino, size, blocks } = statSync(filename, { bigint: true });
    return { identity: `${dev} ${ino}`, size: Number(size), hasHoles: blocks * blockBytes < size };
  } catch {
    return { identity: undefined, size: 0, hasHoles: false };
  }
};

/**
 * Reads the start of the log. Closing it frees no lock, since SQLite locks the other two files only. A log that cannot
 * be opened, such as without free file descriptors, proves nothing.
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
  /** Reads the whole file and reports whether that succeeded. */
  readonly passesQuickCheck: () => Promise<boolean>;
}

/** State of the data: `sound` is readable, `suspect` may not be, `lost` is not. */
type FileState = 'sound' | 'suspect' | 'lost';

/**
 * Watches whether a database file, its write-ahead log and the log's index are still those that were opened. A check
 * takes microseconds; only a shorter file leads to queries.
 */
export const watchFile = (filename: string, { reads, passesQuickCheck }: Options) => {
  /** File identities by name. SQLite keeps the other files next to the target of a link. */
  const identities = new Map<string, string>();
  let largestSize = 0;
  let lastLogSize = 0;
  let isLost = false;
  let isLogDamaged = false;
  let asking: Promise<void> | undefined;

  const nameOf = (ending: '' | '-wal' | '-shm'): string => `${resolveSymlink(filename)}${ending}`;

  /**
   * Returns the size of a file, or undefined if it is no longer the file that was first opened. A missing one has size
   * 0 at first.
   */
  const sizeOf = (ending: '' | '-wal' | '-shm'): number | undefined => {
    const { identity, size } = inspectFile(nameOf(ending));
    const known = identities.get(ending);
    if (known === undefined && identity !== undefined) identities.set(ending, identity);
    return (known ?? identity) === identity ? size : undefined;
  };

  const inspectMain = (): FileState => {
    const size = sizeOf('');
    if (size === undefined || (size === 0 && largestSize > 0)) return 'lost';
    if (size < largestSize) return 'suspect';
    largestSize = size;
    return 'sound';
  };

  const inspectLog = (): FileState => {
    const size = sizeOf('-wal');
    if (size === undefined || sizeOf('-shm') === undefined) return 'lost';
    if (size < lastLogSize) return 'suspect';
    lastLogSize = size;
    return 'sound';
  };

  const inspect = (): FileState => {
    if (isLost) return 'lost';
    const [main, log] = [inspectMain(), inspectLog()];
    isLost = main === 'lost' || log === 'lost';
    return isLost ? 'lost' : main === 'suspect' ? main : log;
  };

  /**
   * Explains why the main file is shorter. A VACUUM shortens the database too; if that has grown since, all of the file
   * is read.
   */
  const askAboutMain = async (): Promise<void> => {
    const { size } = inspectFile(nameOf(''));
    if ((await readSize(reads())) < largestSize || (await passesQuickCheck())) largestSize = size;
    else isLost = true;
  };

  /**
   * Explains why the log is shorter. After a checkpoint, also of another program, it has as many frames as its index
   * counts.
   */
  const askAboutLog = async (): Promise<void> => {
    const { page_size: pageSize } = await reads()('pragma_page_size').first<{ page_size: number }>();
    for (let question = 0; question < maxLogQuestions; question += 1) {
      const [answer] = await reads().raw<ReadonlyArray<{ log: number }>>('PRAGMA wal_checkpoint(PASSIVE)');
      const { size } = inspectFile(nameOf('-wal'));
      const frames = answer?.log ?? 0;
      if (frames <= 0 || size >= logHeaderBytes + frames * (frameHeaderBytes + pageSize)) {
        lastLogSize = size;
        return;
      }
    }
    isLost = isLogDamaged = true;
  };

  /**
   * Checks the header of the log. A log that was emptied and written again begins with zeros, and no reader finds its
   * frames.
   */
  const askAboutLogHeader = async (): Promise<void> => {
    if ((sizeOf('-wal') ?? 0) === 0 || (await hasLogHeader(nameOf('-wal')))) return;
    isLost = isLogDamaged = true;
  };

  const ask = async (): Promise<void> => {
    try {
      await askAboutLogHeader();
      if (!isLost && inspectLog() === 'suspect') await askAboutLog();
      if (!isLost && inspectMain() === 'suspect') await askAboutMain();
    } catch (error) {
      if (isDamage(error)) isLost = isLogDamaged = true;
    }
  };

  const askOnce = (): Promise<void> =>
    (asking ??= ask().finally(() => {
      asking = undefined;
    }));

  /** Checks for a hole in the log, which stays where a log was emptied and written again. This needs no read. */
  const isIntact = async (): Promise<boolean> => {
    const state = inspect();
    if (state === 'lost') return false;
    if (state === 'sound' && !inspectFile(nameOf('-wal')).hasHoles) return true;
    await askOnce();
    return inspect() === 'sound';
  };

  return {
    /** Records the identity of the file. Call it before a connection opens the file. */
    willOpen: (): void => {
      sizeOf('');
    },
    /** Returns an error if a connection may have opened another file. Call it after the connection opens the file. */
    opened: (): Error | undefined => (sizeOf('') === undefined ? fileReplaced() : undefined),
    /** Reports whether all earlier writes are certain to be in the file. */
    isIntact,
    /** Reports whether a file is known to be removed, replaced or truncated. */
    isLost: (): boolean => {
      if (inspect() !== 'lost') void askOnce();
      return isLost;
    },
    /** True if moving the log into the file, as closing does, would damage the file. */
    isLogDamaged: (): boolean => isLogDamaged,
  };
};
