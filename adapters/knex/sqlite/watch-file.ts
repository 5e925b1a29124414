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

/** A file that cannot be looked at counts as removed. */
const inspectFile = (filename: string) => {
  try {
    const { dev, ino, size, blocks } = statSync(filename, { bigint: true });
    return { identity: `${dev} ${ino}`, size: Number(size), hasHoles: blocks * blockBytes < size };
  } catch {
    return { identity: undefined, size: 0, hasHoles: false };
  }
};

/**
 * Reads the start of the log. Opening and closing it frees no lock: SQLite locks the other two files only. A log that
 * cannot be opened, as when file descriptors run out, proves nothing.
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
  /** A pool that has the file open. */
  readonly reads: () => Knex;
  /** Reads all of the file, and reports whether that was possible. */
  readonly passesQuickCheck: () => Promise<boolean>;
}

/** Data in a file: `sound` can be read again, `suspect` perhaps not, `lost` certainly not. */
type FileState = 'sound' | 'suspect' | 'lost';

/**
 * Watches whether the three files of an open database are still those that were opened: the file itself, its write-ahead
 * log, and the log's index. Looking costs microseconds. A file that became shorter makes it ask the database why.
 */
export const watchFile = (filename: string, { reads, passesQuickCheck }: Options) => {
  /** Identities by name: SQLite keeps the other files next to the one that a link leads to. */
  const identities = new Map<string, string>();
  let largestSize = 0;
  let lastLogSize = 0;
  let isLost = false;
  let isLogDamaged = false;
  let asking: Promise<void> | undefined;

  const nameOf = (ending: '' | '-wal' | '-shm'): string => `${resolveSymlink(filename)}${ending}`;

  /** Size of a file that is the one it was at first; undefined if it is gone. One that is not there yet has size 0. */
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

  /** A file that was vacuumed is as short as its database. If that has grown since, all of it is read to know. */
  const askAboutMain = async (): Promise<void> => {
    const { size } = inspectFile(nameOf(''));
    if ((await readSize(reads())) < largestSize || (await passesQuickCheck())) largestSize = size;
    else isLost = true;
  };

  /** A log is shortened by checkpoints, also by other programs' ones; then it has the frames that its index counts. */
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

  /** A log that was emptied and written again begins with zeros: no reader would find anything in it. */
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

  /** A log that was emptied and written again has a hole in its place, which costs no read to see. */
  const isIntact = async (): Promise<boolean> => {
    const state = inspect();
    if (state === 'lost') return false;
    if (state === 'sound' && !inspectFile(nameOf('-wal')).hasHoles) return true;
    await askOnce();
    return inspect() === 'sound';
  };

  return {
    /** Notes which file is about to be opened; call it before a connection opens it. */
    willOpen: (): void => {
      sizeOf('');
    },
    /** Returns an error if the file that a connection has opened may not be the first one; call it afterwards. */
    opened: (): Error | undefined => (sizeOf('') === undefined ? fileReplaced() : undefined),
    /** Reports whether what was written before is certainly found again. */
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
