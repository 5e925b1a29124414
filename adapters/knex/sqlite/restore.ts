import type { Knex } from 'knex';
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { withPool } from '../database/pool';
import { isKind, DiagnosedError, withoutStatement } from '../database/errors';
import { inTransaction } from '../database/work';
import { fileStartsWith, isSameFile, resolveSymlink } from '../../files/paths';
import { hasContents } from '../contents';
import { checkColumns } from '../database/check-columns';
import { runMigrations } from '../migrations/migrate';
import { generationMismatch, readSchemaState } from '../migrations/migrations';
import { type BackupOptions, placeCheckedCopy } from './backup';
import { openFile, openReadOnly } from './connection';
import { sqliteStatements } from './statements';
import { createDatabaseFile, logEndings } from './database-file';
import { refuseForeignFile } from './identify-file';

interface RestoreOptions extends BackupOptions {
  /** True to replace a database that is damaged or has contents. */
  readonly mayReplace: boolean;
}

/** Resolves to the result of `work`, or to `fallback` if the file is damaged. */
const unlessDamaged = <A, B>(work: Promise<A>, fallback: B): Promise<A | B> =>
  work.catch((error: unknown) => {
    if (isKind('Damaged', 'NotSqlite')(error)) return fallback;
    throw withoutStatement(error);
  });

/** Returns the migrations that a backup lacks. Rejects if the file has no readable store, or needs a newer version. */
const checkBackup = async (backup: string): Promise<ReadonlyArray<string>> => {
  const stats = statSync(backup, { throwIfNoEntry: false });
  if (stats === undefined) throw new DiagnosedError(`${backup}: no such file or directory`);
  if (!stats.isFile()) throw new DiagnosedError(`${backup} is not a regular file; name another file`);
  if (fileStartsWith(backup, 'PGDMP'))
    throw new DiagnosedError(`${backup} is a backup of PostgreSQL`, 'BackupOfPostgres');
  const schema = await unlessDamaged(
    withPool(openReadOnly(backup), async (file) => {
      const state = await readSchemaState(file, sqliteStatements);
      if (state.generation > 0 && state.pending.length === 0) await checkColumns(file, sqliteStatements);
      return state;
    }),
    undefined,
  );
  if (schema === undefined || schema.generation === 0)
    throw new DiagnosedError(`${backup} is not a backup of an animal store, or is damaged`);
  const mismatch = generationMismatch(schema);
  if (mismatch?.kind === 'NewerGeneration')
    throw new DiagnosedError(`${backup} can't be restored: ${mismatch.message}`, mismatch.kind);
  return schema.pending;
};

/**
 * Locks the file, and rejects if another connection has it open. Leaving WAL mode moves the log into the file, and only the last connection can do this. A
 * file with a damaged header stays unlocked, but no service can open it.
 */
const lockAndFindContents = async (filename: string, file: Knex): Promise<'none' | 'some' | 'damaged'> => {
  const lockAndFind = async (): Promise<'none' | 'some'> => {
    // Does not wait for a lock, because another restore could replace the file during the wait.
    await file.raw('PRAGMA busy_timeout = 0');
    await file.raw('PRAGMA locking_mode = EXCLUSIVE');
    await file.raw('PRAGMA journal_mode = DELETE');
    await file.raw('BEGIN EXCLUSIVE');
    return (await hasContents(file, sqliteStatements)) ? 'some' : 'none';
  };
  return unlessDamaged<'none' | 'some', 'damaged'>(lockAndFind(), 'damaged').catch((error: unknown) => {
    if (!isKind('FileLocked')(error)) throw error;
    throw new DiagnosedError(
      `${filename} is in use; stop the service and any other program that has it open`,
    );
  });
};

/**
 * Keeps the replaced database under the name `kept`, and its log if it is damaged. An undamaged database has no log,
 * because the lock has moved the log into the file. A hard link keeps the old name until the restored file takes it.
 */
const keepDatabase = (filename: string, kept: string, isDamaged: boolean): void => {
  if (!isDamaged) rmSync(`${filename}-journal`, { force: true });
  for (const ending of logEndings)
    if (existsSync(`${filename}${ending}`)) renameSync(`${filename}${ending}`, `${kept}${ending}`);
  try {
    linkSync(filename, kept);
  } catch {
    // Some file systems have no hard links.
    renameSync(filename, kept);
  }
};

/**
 * Checks a backup and puts a copy of it in the place of a database that is not in use. Migrates the copy first if an
 * earlier version made the backup. Keeps the replaced database under a name with the time. If the restore fails, that
 * database keeps its contents.
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
  // Creates a missing file in order to lock it, so that no service can create the file during the restore and then lose
  // animals.
  createDatabaseFile(database);
  const filename = resolveSymlink(database);
  if (isSameFile(filename, backup))
    throw new DiagnosedError(`${backup} is the database itself; name another file`);
  await unlessDamaged(refuseForeignFile(filename), undefined);
  // Without `min: 1`, the pool would close an idle connection after 30 s, and so release the lock.
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
            inTransaction(copy, (transaction) => runMigrations(transaction, sqliteStatements)),
        }),
        beforeRename: () => {
          if (kept !== undefined) keepDatabase(filename, kept, contents === 'damaged');
        },
      });
      return { animals, kept, migrated };
    } catch (error) {
      // Removes the file that this function created, unless a service filled it before the lock was taken.
      if (isNew && kept === undefined) rmSync(filename, { force: true });
      throw error;
    }
  });
};
