/*
 * Restores a backup in steps, so that no animal of a service is lost and a failure changes nothing:
 * 1. Checks the backup.
 * 2. Creates a missing database file, in order to lock it. A service could otherwise create it during the restore.
 * 3. Locks the file against all other connections until the end, or fails if another connection has it open.
 * 4. Copies the backup next to the file, migrates the copy and checks it.
 * 5. Gives the replaced file and its logs a name with the time, and the copy the name of the database.
 */

import type { Knex } from 'knex';
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { withPool } from '../database/pool';
import { DiagnosedError, isKind, withoutStatement } from '../database/errors';
import { inTransaction } from '../database/transactions';
import { fileStartsWith, isSameFile, resolveSymlink } from '../../files/paths';
import { hasContents } from '../contents';
import { requireColumns } from '../database/check-columns';
import { runMigrations } from '../migrations/migrate';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';
import { type BackupOptions, placeCheckedCopy } from './backup';
import { openFile, openReadOnly } from './connection';
import { sqliteStatements } from './statements';
import { createDatabaseFile, logEndings } from './database-file';
import { refuseForeignFile } from './inspect-file';

interface RestoreOptions extends BackupOptions {
  /** True to replace a database that is damaged or has contents. */
  readonly mayReplace: boolean;
}

/**
 * Restores a backup. Returns the number of its animals, the name of the replaced database, and the migrations that it
 * lacked because an earlier version made it.
 */
export const restoreSqlite = async (
  backup: string,
  database: string,
  { mayReplace, signal, ...hooks }: RestoreOptions,
): Promise<{
  readonly animals: number;
  readonly kept: string | undefined;
  readonly migrated: ReadonlyArray<string>;
}> => {
  const migrated = await checkBackup(backup);
  const isNew = !existsSync(database);
  createDatabaseFile(database);
  const filename = resolveSymlink(database);
  if (isSameFile(filename, backup))
    throw new DiagnosedError(`${backup} is the database itself; name another file`);
  await unlessDamaged(refuseForeignFile(filename));
  // Sets `min: 1`, because the pool would otherwise close an idle connection after 30 s, and so release the lock.
  return withPool(openFile(filename, { min: 1 }), async (file) => {
    const contents = await lockAndFindContents(filename, file);
    if (contents !== 'none' && !mayReplace)
      throw new DiagnosedError(`there are animals or keys in ${filename}, or it is damaged`, 'HasContents');
    const time = new Date().toISOString().replaceAll(':', '-');
    const kept = statSync(filename).size === 0 ? undefined : `${filename}.replaced-${time}`;
    try {
      const animals = await placeCheckedCopy(backup, openReadOnly, filename, signal, {
        ...hooks,
        ...(migrated.length > 0 && {
          migrate: (copy: Knex) =>
            inTransaction(copy, (transaction) =>
              runMigrations({ knex: transaction, statements: sqliteStatements }),
            ),
        }),
        beforeRename: () => {
          if (kept !== undefined) keepDatabase(filename, kept, contents === 'damaged');
        },
      });
      return { animals, kept, migrated };
    } catch (error) {
      // Removes the file that this function created, unless `kept` is set: a service then wrote a database into it
      // before the lock.
      if (isNew && kept === undefined) rmSync(filename, { force: true });
      throw error;
    }
  });
};

/** Returns the migrations that a backup lacks. */
const checkBackup = async (backup: string): Promise<ReadonlyArray<string>> => {
  const stats = statSync(backup, { throwIfNoEntry: false });
  if (stats === undefined) throw new DiagnosedError(`${backup}: no such file or directory`);
  if (!stats.isFile()) throw new DiagnosedError(`${backup} is not a regular file; name another file`);
  if (fileStartsWith(backup, 'PGDMP'))
    throw new DiagnosedError(`${backup} is a backup of PostgreSQL`, 'BackupOfPostgres');
  const schema = await unlessDamaged(
    withPool(openReadOnly(backup), async (knex) => {
      const connection = { knex, statements: sqliteStatements };
      const state = await readSchemaState(connection);
      if (state.generation > 0 && state.pending.length === 0) await requireColumns(connection);
      return state;
    }),
  );
  if (schema === undefined || schema.generation === 0)
    throw new DiagnosedError(`${backup} is not a backup of an animal store, or is damaged`);
  const mismatch = generationMismatch(schema);
  if (mismatch?.kind === 'NewerGeneration')
    throw new DiagnosedError(`${backup} can't be restored: ${mismatch.message}`, mismatch.kind);
  return schema.pending;
};

type Contents = 'none' | 'some' | 'damaged';

/**
 * Locks the file, and rejects if another connection has it open. Leaves WAL mode, which moves the write-ahead log into
 * the file, because only the sole connection to a file can do this. A file with a damaged header stays unlocked, but no
 * service can open it.
 */
const lockAndFindContents = async (filename: string, file: Knex): Promise<Contents> => {
  try {
    // Does not wait for a lock, because another restore could replace the file during the wait.
    await file.raw('PRAGMA busy_timeout = 0');
    await file.raw('PRAGMA locking_mode = EXCLUSIVE');
    await file.raw('PRAGMA journal_mode = DELETE');
    await file.raw('BEGIN EXCLUSIVE');
    return (await hasContents({ knex: file, statements: sqliteStatements })) ? 'some' : 'none';
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    if (!isKind('FileLocked')(error)) throw withoutStatement(error);
    throw new DiagnosedError(
      `${filename} is in use; stop the service and any other program that has it open`,
    );
  }
};

/**
 * Renames the replaced database to `kept`, with its logs if it is damaged. An undamaged one has no log, because
 * `lockAndFindContents` has moved the log into the file. A hard link keeps the old name until the restored file takes
 * it.
 */
const keepDatabase = (filename: string, kept: string, isDamaged: boolean): void => {
  if (!isDamaged) rmSync(`${filename}-journal`, { force: true });
  for (const ending of logEndings)
    if (existsSync(`${filename}${ending}`)) renameSync(`${filename}${ending}`, `${kept}${ending}`);
  try {
    linkSync(filename, kept);
  } catch {
    // Renames the file instead, because some file systems have no hard links.
    renameSync(filename, kept);
  }
};

const isDamage = isKind('Damaged', 'NotSqlite');

const unlessDamaged = <A>(work: Promise<A>): Promise<A | undefined> =>
  work.catch((error: unknown) => {
    if (isDamage(error)) return undefined;
    throw withoutStatement(error);
  });
