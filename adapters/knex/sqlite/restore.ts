import { chmodSync, chownSync, existsSync, rmSync, statSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import { isDamage, isSqliteBusy, permanentError, withoutStatement } from '../database/errors';
import { withPool } from '../database/connections';
import { type CopyOptions, placeCheckedCopy } from './backup';
import { generationMismatch, type SchemaState } from '../migrations/migrations';
import { poolConfiguration } from './connection';
import { createPrivateFile, identifyFile, openReadOnly, resolveSymlink } from './file';

export interface RestoreOptions extends CopyOptions {
  readonly mayReplace: boolean;
}

const hasAnimals = async (file: Knex): Promise<boolean> =>
  (await file.schema.hasTable('pets')) && (await file('pets').first<unknown>('id')) !== undefined;

const inspectTarget = async (filename: string): Promise<'replaceable' | 'animals' | 'damaged'> => {
  try {
    if ((await identifyFile(filename)) === 'foreign') {
      throw permanentError(
        `${filename} is the database of another program; set DATABASE_URL to another file`,
      );
    }
    return (await withPool(openReadOnly(filename), hasAnimals)) ? 'animals' : 'replaceable';
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw withoutStatement(error);
  }
};

const refusals = {
  animals: (filename: string) => `there are animals in ${filename}; --replace deletes them`,
  damaged: (filename: string) => `${filename} is damaged and may hold animals; --replace deletes them`,
};

const lockFile = async (file: Knex): Promise<void> => {
  await file.raw('PRAGMA locking_mode = EXCLUSIVE');
  await file.raw('PRAGMA journal_mode = DELETE');
  await file.raw('BEGIN EXCLUSIVE');
};

/**
 * Runs work while no other connection can read the file. SQLite lets only the last connection leave WAL mode, and then
 * checkpoints and removes the log. SQLite reads the header and the schema once it has the lock. If they are damaged,
 * the work runs without a lock, because no service can open the file either.
 */
const withExclusiveLock = async (filename: string, work: () => Promise<number>): Promise<number> => {
  // Without `min: 1`, the pool would close an idle connection after 30 s, and so release the lock.
  const pool = knex(poolConfiguration({ filename }, { min: 1 }));
  const result = await withPool(pool, async (file) => {
    try {
      await lockFile(file);
    } catch (error) {
      if (isSqliteBusy(error))
        throw permanentError(
          `${filename} is in use; stop the service and any other program that has it open`,
        );
      if (isDamage(error)) return undefined;
      throw withoutStatement(error);
    }
    return work();
  });
  return result ?? work();
};

const copyOwner = (copy: string, filename: string): void => {
  const { mode, uid, gid } = statSync(filename);
  const own = statSync(copy);
  if (uid !== own.uid || gid !== own.gid) chownSync(copy, uid, gid);
  chmodSync(copy, mode & 0o7777);
};

const refuseSchema = (schema: SchemaState): string | undefined => {
  const { generation, expectedGeneration } = schema;
  return generationMismatch(schema) === undefined
    ? undefined
    : `the backup has schema generation ${generation}, but this version works with ${expectedGeneration}; restore it with a version that works with ${generation}`;
};

const reportDamage = (damage: string): string => `the backup is damaged: ${damage}; use another backup`;

/**
 * Checks a backup and puts it in the place of a database that is not in use. A failure leaves that database unchanged.
 * Returns the number of animals. The command `restore` in app/commands/backup.ts calls it.
 */
export const restoreSqlite = async (
  backup: string,
  database: string,
  { mayReplace, ...options }: RestoreOptions,
): Promise<number> => {
  const exists = existsSync(database);
  // Creates an empty file to lock. Otherwise a service could start now, and the restore would replace its animals.
  if (!exists) createPrivateFile(database);
  const filename = resolveSymlink(database);
  const beforeRename = (copy: string): void => {
    copyOwner(copy, filename);
  };
  const replace = (): Promise<number> =>
    placeCheckedCopy(backup, filename, { reportDamage, refuseSchema, beforeRename }, options);
  if (exists) {
    // A pipe must not be opened: it would block the process, which could then not handle signals.
    if (!statSync(filename).isFile())
      throw permanentError(`${filename} is not a regular file; set DATABASE_URL to another file`);
    if (resolveSymlink(backup) === filename)
      throw permanentError(`${backup} is the database itself; name another file`);
    const found = await inspectTarget(filename);
    if (found !== 'replaceable' && !mayReplace) throw permanentError(refusals[found](filename));
    return withExclusiveLock(filename, replace);
  }
  return withExclusiveLock(filename, async () => {
    try {
      return await replace();
    } catch (error) {
      rmSync(filename, { force: true });
      throw error;
    }
  });
};
