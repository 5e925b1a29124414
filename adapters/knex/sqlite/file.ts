import * as E from 'fp-ts/Either';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import { dirname, resolve } from 'node:path';
import type { DatabaseSizes } from '../database/own-database';
import { withPool } from '../database/pool';
import { errorCode, errorWithCode, DiagnosedError, withoutStatement } from '../database/errors';
import { toEither } from '../database/work';
import { readSchemaState } from '../migrations/migrations';
import { fileInMode, poolConfiguration } from './connection';
import { sqliteStatements } from './statements';

const maxLinks = 40;

/** Follows a path through its symbolic links. Returns the links and the path at their end, which may not exist. */
export const followSymlinks = (filename: string) => {
  const links: Array<string> = [];
  let path = filename;
  while (links.length < maxLinks && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) {
    links.push(path);
    path = resolve(realpathSync(dirname(path)), readlinkSync(path));
  }
  return { links, path };
};

/** Resolves symbolic links, because SQLite puts its log next to the target. On errors, returns `filename` unchanged. */
export const resolveSymlink = (filename: string): string => {
  try {
    return existsSync(filename) ? realpathSync(filename) : followSymlinks(filename).path;
  } catch {
    return filename;
  }
};

export const isSameFile = (first: string, second: string): boolean => {
  const [stats, otherStats] = [first, second].map((path) => statSync(path, { throwIfNoEntry: false }));
  return stats !== undefined && stats.dev === otherStats?.dev && stats.ino === otherStats.ino;
};

/** True if the first bytes of a file are this ASCII text. */
export const startsWith = (filename: string, text: string): boolean => {
  const bytes = Buffer.alloc(text.length);
  const file = openSync(filename, 'r');
  try {
    readSync(file, bytes, 0, text.length, 0);
  } finally {
    closeSync(file);
  }
  return bytes.toString('latin1') === text;
};

export const isSqlite = (filename: string): boolean => startsWith(filename, 'SQLite format 3');

const giveToOwner = (file: number, folder: string): void => {
  const { uid, gid } = statSync(folder);
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Root can't change the owner in a container without capabilities, or on NFS. The file then still belongs to root.
  }
};

/**
 * Returns what to do if a database file is missing but its log is there, which may have the only copy of acknowledged
 * animals. SQLite would delete the log next to a new file.
 */
export const lostFileAdvice = (filename: string): string | undefined => {
  const path = resolveSymlink(filename);
  const log = `${path}-wal`;
  const logSize = toEither(() => statSync(log, { throwIfNoEntry: false })?.size ?? 0);
  if (existsSync(path) || E.isLeft(logSize) || logSize.right === 0) return undefined;
  return `${path} is missing, but its log ${log} is there, and may have acknowledged animals: put the file back next to it; if the file is lost, move the log away and restore a backup`;
};

/**
 * Creates a missing file that only its owner can read. Throws if the log of a lost database is next to it. If the
 * process runs as root, gives the file to the owner of the folder. Never opens an existing file. Closing it would
 * release the POSIX locks of this process on it, and root might give away a file to which a link leads.
 */
export const createPrivateFile = (filename: string): void => {
  const path = resolveSymlink(filename);
  if (existsSync(path)) return;
  const advice = lostFileAdvice(path);
  if (advice !== undefined) throw new DiagnosedError(advice);
  const file = toEither(() => openSync(path, 'ax', 0o600));
  if (E.isLeft(file)) {
    if (existsSync(path)) return;
    throw file.left.cause;
  }
  try {
    if (process.getuid?.() === 0) giveToOwner(file.right, dirname(path));
  } finally {
    closeSync(file.right);
  }
};

const logEnding = /-(?:wal|shm|journal)$/;

/** Returns advice for a path that is the name of the log of an existing file, which SQLite would delete. */
export const logNameAdvice = (path: string): string | undefined =>
  logEnding.test(path) && existsSync(path.replace(logEnding, ''))
    ? `${path} is the name of a log of SQLite; name another file`
    : undefined;

/** True if a write-ahead log or journal is next to the file: a process has it open, or ended without closing it. */
export const isInUse = (filename: string): boolean =>
  ['-wal', '-journal'].some((ending) => existsSync(`${resolveSymlink(filename)}${ending}`));

/** Returns the code of the error, such as EACCES, if this process may not write a file, and undefined otherwise. */
const writeRefusalOf = (file: string): string | undefined => {
  try {
    accessSync(file, constants.W_OK);
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
};

/** True if nothing can change the file: its file system is mounted read-only, and no process has the file open. */
export const isImmutable = (filename: string): boolean =>
  !isInUse(filename) && writeRefusalOf(resolveSymlink(filename)) === 'EROFS';

/** Says why a path can't be written, because of EROFS. */
export const readOnlyText = (path: string): string => `${path} is on a file system that is read-only here`;

/**
 * Throws if the user of this process may not write a database that no process has open. SQLite would create a
 * write-ahead log that belongs to this user, and the service could not write the log.
 */
export const refuseReader = (filename: string): void => {
  const file = resolveSymlink(filename);
  if (!existsSync(file) || ['-wal', '-shm'].every((ending) => existsSync(`${file}${ending}`))) return;
  const refusal = writeRefusalOf(file);
  if (refusal === undefined || refusal === 'ENOENT') return;
  if (refusal === 'EROFS') throw new DiagnosedError(readOnlyText(file), 'ReadOnlyFileSystem');
  throw new DiagnosedError(
    `this user may only read ${file}, and would leave a log next to it that its owner can't write; run the command as the owner`,
  );
};

/** True if the file itself is mounted, as by a container volume that names the file. Always false outside Linux. */
export const isMountPoint = (filename: string): boolean => {
  const mounts = toEither(() => readFileSync('/proc/self/mountinfo', 'utf8'));
  if (E.isLeft(mounts)) return false;
  const file = resolveSymlink(resolve(filename));
  // The fifth field is the mount point, in which `\040` stands for a space (proc_pid_mountinfo(5)).
  return mounts.right.split('\n').some((line) => line.split(' ')[4]?.replaceAll('\\040', ' ') === file);
};

/**
 * Opens a file for reads only. If no process uses the file, opens it with `immutable=1`, which takes no lock. Without
 * `immutable=1`, SQLite would create a write-ahead log and leave it behind.
 */
export const openReadOnly = (filename: string, pool?: Knex.PoolConfig): Knex =>
  knex(poolConfiguration(() => fileInMode(filename, `ro${isInUse(filename) ? '' : '&immutable=1'}`), pool));

/** Identifies a file by its tables, without writing to it. A path without a regular file counts as empty. */
const identifyFile = async (filename: string): Promise<'empty' | 'animal-store' | 'foreign'> => {
  const stats = statSync(filename, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size === 0) return 'empty';
  return withPool(openReadOnly(filename), async (connection) => {
    if ((await connection('sqlite_master').first<unknown>('name')) === undefined) return 'empty';
    return (await readSchemaState(connection, sqliteStatements)).generation > 0 ? 'animal-store' : 'foreign';
  }).catch((error: unknown) => {
    throw withoutStatement(error);
  });
};

/** Identifies a file. Throws if it is the database of another program. */
export const refuseForeignFile = async (filename: string): Promise<'empty' | 'animal-store'> => {
  const kind = await identifyFile(filename);
  if (kind !== 'foreign') return kind;
  throw new DiagnosedError(`${filename} is the database of another program; name another file`);
};

/** Checks the whole file. Rejects with SQLITE_CORRUPT if it finds damage, as a read of a damaged page does. */
export const checkIntegrity = async (file: Knex): Promise<void> => {
  const lines: ReadonlyArray<string> = await file('pragma_integrity_check').pluck('integrity_check');
  const damage = lines.find((line) => line !== 'ok');
  if (damage !== undefined) throw errorWithCode('SQLITE_CORRUPT', `SQLITE_CORRUPT: ${damage}`);
};

const sizeOf = async (file: string): Promise<number> => (await stat(file)).size;

export const fileSizes = async (name: string): Promise<DatabaseSizes> => {
  const filename = resolveSymlink(name);
  const [databaseSize, writeAheadLogSize, disk] = await Promise.all([
    sizeOf(filename),
    sizeOf(`${filename}-wal`).catch(() => 0),
    statfs(dirname(filename)),
  ]);
  return { databaseSize, writeAheadLogSize, diskAvailable: disk.bavail * disk.bsize };
};
