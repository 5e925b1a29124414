/* Functions that read, check and create SQLite files, for the other files of this folder. */

import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import knex, { type Knex } from 'knex';
import { dirname, resolve } from 'node:path';
import type { DatabaseSizes } from '../database/database';
import { errorWithCode, isDamage, permanentError, tryOrError, withoutStatement } from '../database/errors';
import { withPool } from '../database/connections';
import { readSchemaState } from '../migrations/migrations';
import { fileInMode, poolConfiguration } from './connection';

/** Application id of the store's files, 'anml' (SQLite file format, offset 68). */
export const applicationId = 0x616e6d6c;

export const ownerOnly = 0o600;

/** Resolves symbolic links as SQLite does, which puts its `-wal` and `-shm` files next to the target of a link. */
export const resolveSymlink = (filename: string): string => {
  try {
    return realpathSync(filename);
  } catch {
    return filename;
  }
};

/**
 * Creates a missing file. Does not open an existing file, because closing it would release the POSIX locks of this
 * process on it. O_EXCL would fail on a symbolic link to a file that does not exist yet.
 */
export const createPrivateFile = (filename: string): void => {
  try {
    if (!existsSync(filename)) closeSync(openSync(filename, 'a', ownerOnly));
  } catch {
    // Ignores the error, because SQLite reports why it cannot open the file.
  }
};

/** True if a log is next to the file: a process has the file open, or ended without closing it. */
export const isInUse = (filename: string): boolean =>
  ['-wal', '-journal'].some((ending) => existsSync(`${resolveSymlink(filename)}${ending}`));

/**
 * Throws if this user may not write a database that no process has open. SQLite would create a write-ahead log that
 * belongs to this user, and the service could not write it.
 */
export const refuseReader = (filename: string): void => {
  const file = resolveSymlink(filename);
  if (!existsSync(file) || ['-wal', '-shm'].every((ending) => existsSync(`${file}${ending}`))) return;
  const denied = tryOrError(() => {
    accessSync(file, constants.W_OK);
  });
  if (denied instanceof Error) {
    throw errorWithCode(
      'EACCES',
      `this user may only read ${file}, and would leave a log next to it that its owner can't write; run the command as the owner`,
    );
  }
};

/** True if a file is mounted without its folder, as a container does it for a volume that names a file (Linux). */
export const isMountPoint = (filename: string): boolean => {
  const file = resolveSymlink(resolve(filename));
  const mounts = tryOrError(() => readFileSync('/proc/self/mountinfo', 'utf8'));
  if (mounts instanceof Error) return false;
  // The fifth field is the mount point, with blanks in octal (proc_pid_mountinfo(5)).
  return mounts.split('\n').some((line) => {
    const [, , , , point = ''] = line.split(' ');
    return (
      point.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))) === file
    );
  });
};

/**
 * Configures a pool that only reads a file. A file that is not in use is read as immutable, without a lock: otherwise
 * SQLite would create a write-ahead log and leave it behind.
 */
export const readOnlyConfiguration = (filename: string, pool: Knex.PoolConfig = {}): Knex.Config =>
  poolConfiguration(() => fileInMode(filename, `ro${isInUse(filename) ? '' : '&immutable=1'}`), pool);

export const openReadOnly = (filename: string): Knex => knex(readOnlyConfiguration(filename));

export const readApplicationId = async (connection: Knex): Promise<number> => {
  const { application_id: id } = await connection('pragma_application_id').first<{
    application_id: number;
  }>();
  return id;
};

export const identifyFile = async (filename: string): Promise<'empty' | 'animal-store' | 'foreign'> => {
  const found = statSync(filename, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return 'empty';
  return withPool(openReadOnly(filename), async (connection) => {
    const id = await readApplicationId(connection);
    if (id === applicationId) return 'animal-store';
    if (id !== 0) return 'foreign';
    if ((await connection('sqlite_master').first('name')) === undefined) return 'empty';
    return (await readSchemaState(connection)).generation > 0 ? 'animal-store' : 'foreign';
  }).catch((error: unknown) => {
    throw withoutStatement(error);
  });
};

/** Reports whether a SQLite file has the tables of a store. Only reads the file; app/backend/database.ts calls it. */
export const hasSqliteStore = (filename: string): Promise<boolean> =>
  withPool(openReadOnly(filename), async (connection) => (await readSchemaState(connection)).generation > 0);

export const refuseForeignFile = async (filename: string): Promise<void> => {
  if ((await identifyFile(filename)) !== 'foreign') return;
  throw permanentError('the file is the database of another program; name a file that does not exist yet');
};

export const findDamage = async (
  reads: Knex,
  check: 'quick_check' | 'integrity_check',
): Promise<string | undefined> => {
  try {
    const found: ReadonlyArray<string> = await reads(`pragma_${check}`).pluck(check);
    return found.find((line) => line !== 'ok')?.replaceAll(/\s+/g, ' ');
  } catch (error) {
    if (isDamage(error)) return withoutStatement(error).message;
    throw withoutStatement(error);
  }
};

export const readSize = async (knex: Knex): Promise<number> => {
  const { size } = await knex
    .from(knex.raw('pragma_page_count, pragma_page_size'))
    .first<{ size: number }>(knex.raw('page_count * page_size as size'));
  return size;
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
