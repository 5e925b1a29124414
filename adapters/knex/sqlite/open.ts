/* Opens the file of a store: for its pools of reads and writes, or as the source of a copy. */

import knex, { type Knex } from 'knex';
import { fileInMode, poolConfiguration, withPragmas } from './connection';
import {
  createDatabaseFile,
  isImmutable,
  prepareFile,
  refuseReadOnlyUser,
  type walEndings,
} from './database-file';
import { refuseForeignFile } from './inspect-file';
import { sqliteStatements } from './statements';

/** Ending of the name of a database file, of its write-ahead log or of the log's index. */
export type WatchedEnding = '' | (typeof walEndings)[number];

/** Throws if the file, its write-ahead log or the log's index was removed or replaced. By default, checks all three. */
export type CheckFile = (endings?: ReadonlyArray<WatchedEnding>) => void;

const readerConnections = 3;

export const openReadPool = (filename: string, checkFile: CheckFile): Knex => {
  const beforeOpen = () => {
    createDatabaseFile(filename);
    // Sets `immutable` on a read-only file system, where SQLite can open a database in WAL mode only with it.
    if (isImmutable(filename)) return fileInMode(filename, 'ro', { immutable: true });
    prepareCheckedFile(filename, checkFile);
    return { filename };
  };
  // Checks the database file, but not its write-ahead log. SQLite may delete that log before this connection reads, and
  // the check would then report the log as removed.
  const afterCreate = withPragmas(['query_only = ON'], () => {
    checkFile(['']);
  });
  return knex(poolConfiguration(beforeOpen, { min: 1, max: readerConnections, afterCreate }));
};

const journalSizeLimitBytes = 4 * 1024 * 1024;

const writePragmas = [
  'journal_mode = WAL',
  'synchronous = FULL',
  `journal_size_limit = ${journalSizeLimitBytes}`,
];

/** Opens a pool of one connection for writes. With `isOnlyForStore`, refuses the file of another program. */
export const openWritePool = (filename: string, checkFile: CheckFile, isOnlyForStore: boolean): Knex => {
  const connect = async () => {
    if (isOnlyForStore) await refuseForeignFile(filename);
    prepareCheckedFile(filename, checkFile);
    return { filename };
  };
  const afterCreate = withPragmas(writePragmas, checkFile);
  return knex(poolConfiguration(connect, { min: 1, afterCreate }));
};

const prepareCheckedFile = (filename: string, checkFile: CheckFile): void => {
  prepareFile(filename);
  // Checks only the database file before SQLite opens it, because the write-ahead log may not exist. SQLite deletes it
  // when the last connection closes.
  checkFile(['']);
};

/** Makes the configuration of the commands of `knex`. They create no file, because the path may be mistyped. */
export const sqliteMigrationConfiguration = (filename: string): Knex.Config => {
  const connect = () => {
    refuseReadOnlyUser(filename);
    return fileInMode(filename, 'rw');
  };
  return poolConfiguration(connect, { min: 1, afterCreate: withPragmas(writePragmas) });
};

/**
 * Opens the source of a copy. The first read fails with SQLITE_BUSY if another connection has the file open. If nothing
 * can change the file, opens it for reads only. Otherwise, throws if this user may only read an unused file, because
 * SQLite would create a log that the file's owner can't write.
 */
export const openSqliteSource = (filename: string) => {
  const immutable = isImmutable(filename);
  if (!immutable) refuseReadOnlyUser(filename);
  const file = fileInMode(filename, immutable ? 'ro' : 'rw', { immutable });
  const afterCreate = withPragmas(['locking_mode = EXCLUSIVE']);
  const readPool = knex(poolConfiguration(file, { min: 1, afterCreate }));
  return { readPool, statements: sqliteStatements, isLocked: true as const, close: () => readPool.destroy() };
};
