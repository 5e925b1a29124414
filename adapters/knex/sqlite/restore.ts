import knex, { type Knex } from 'knex';
import { existsSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { withPool } from '../database/connections';
import { isDamage, isSqliteBusy, permanentError, withoutStatement } from '../database/errors';
import { generationMismatch, readSchemaState, type SchemaState } from '../migrations/migrations';
import { type CopyOptions, isSameFile, placeCheckedCopy } from './backup';
import { poolConfiguration } from './connection';
import { createPrivateFile, identifyFile, openReadOnly, readOnlyConfiguration, resolveSymlink } from './file';

const readSchema = (backup: string): Promise<SchemaState> =>
  withPool(openReadOnly(backup), readSchemaState).catch((error: unknown) => {
    const { message } = withoutStatement(error);
    if (!isDamage(error)) throw withoutStatement(error);
    throw permanentError(`${backup} is not a backup of an animal store, or is damaged: ${message}`);
  });

const checkBackup = async (backup: string): Promise<void> => {
  const found = statSync(backup, { throwIfNoEntry: false });
  if (found === undefined) throw permanentError(`file not found: ${backup}`);
  if (!found.isFile()) throw permanentError(`${backup} is not a regular file; name another file`);
  const schema = await readSchema(backup);
  const { generation, expectedGeneration } = schema;
  if (generation === 0) throw permanentError(`${backup} is not a backup of an animal store`);
  if (generationMismatch(schema) === undefined) return;
  throw permanentError(
    `the backup has schema generation ${generation}, but this version works with ${expectedGeneration}; restore it with a version that works with ${generation}`,
  );
};

const refuseTarget = async (backup: string, filename: string): Promise<void> => {
  const found = statSync(filename);
  // A pipe must not be opened: it would block the process, which could then not handle signals.
  if (!found.isFile())
    throw permanentError(`${filename} is not a regular file; set DATABASE_URL to another file`);
  if (isSameFile(found, statSync(backup)))
    throw permanentError(`${backup} is the database itself; name another file`);
  const kind = await identifyFile(filename).catch((error: unknown) => {
    if (isDamage(error)) return 'damaged';
    throw error;
  });
  if (kind === 'foreign')
    throw permanentError(`${filename} is the database of another program; set DATABASE_URL to another file`);
};

const lockFile = async (file: Knex): Promise<void> => {
  await file.raw('PRAGMA locking_mode = EXCLUSIVE');
  await file.raw('PRAGMA journal_mode = DELETE');
  await file.raw('BEGIN EXCLUSIVE');
};

/**
 * Runs work while no other connection can read the file. SQLite lets only the last connection leave WAL mode, and then
 * checkpoints and removes the log. SQLite reads the header and the schema once it has the lock. If they are damaged,
 * the work gets no connection and runs without a lock, because no service can open the file either.
 */
const withExclusiveLock = <A>(filename: string, work: (file: Knex | undefined) => Promise<A>): Promise<A> =>
  // Without `min: 1`, the pool would close an idle connection after 30 s, and so release the lock.
  withPool(knex(poolConfiguration({ filename }, { min: 1 })), async (file) => {
    try {
      await lockFile(file);
    } catch (error) {
      if (isSqliteBusy(error))
        throw permanentError(
          `${filename} is in use; stop the service and any other program that has it open`,
        );
      if (!isDamage(error)) throw withoutStatement(error);
      return work(undefined);
    }
    return work(file);
  });

const refuseAnimals = async (filename: string, file: Knex | undefined): Promise<void> => {
  const hasAnimals = async (found: Knex): Promise<boolean> =>
    (await found.schema.hasTable('pets')) && (await found('pets').first<unknown>('id')) !== undefined;
  const isDamaged = (error: unknown): undefined => {
    if (!isDamage(error)) throw withoutStatement(error);
    return undefined;
  };
  const found = file && (await hasAnimals(file).catch(isDamaged));
  if (found === false) return;
  throw permanentError(
    found === undefined
      ? `${filename} is damaged and may hold animals; --replace keeps it under another name`
      : `there are animals in ${filename}; --replace keeps them in a file with another name`,
  );
};

/**
 * Keeps the old database under the name `kept`. A hard link keeps the old name too until the restored file replaces it.
 * Moves the log too, which a damaged database may still have.
 */
const keepDatabase = (filename: string, kept: string): void => {
  for (const ending of ['-wal', '-journal']) {
    if (existsSync(`${filename}${ending}`)) renameSync(`${filename}${ending}`, `${kept}${ending}`);
  }
  rmSync(`${filename}-shm`, { force: true });
  try {
    linkSync(filename, kept);
  } catch {
    // Some file systems have no hard links.
    renameSync(filename, kept);
  }
};

/**
 * Checks a backup and puts it in the place of a database that is not in use; the command `restore` in
 * app/commands/backup.ts calls it. Keeps the replaced database under a name with the time. A failure leaves that
 * database unchanged.
 */
export const restoreSqlite = async (
  backup: string,
  database: string,
  { mayReplace, signal }: CopyOptions,
): Promise<{ readonly animals: number; readonly kept: string | undefined }> => {
  await checkBackup(backup);
  const isNew = !existsSync(database);
  // Creates an empty file to lock. Otherwise a service could start now, and the restore would replace its animals.
  if (isNew) createPrivateFile(database);
  const filename = resolveSymlink(database);
  const reportDamage = (damage: string): string => `the backup is damaged: ${damage}; use another backup`;
  const time = new Date().toISOString().replaceAll(':', '-');
  const kept = isNew || statSync(filename).size === 0 ? undefined : `${filename}.replaced-${time}`;
  if (!isNew) await refuseTarget(backup, filename);
  return withExclusiveLock(filename, async (file) => {
    try {
      if (!mayReplace) await refuseAnimals(filename, file);
      const owner = statSync(isNew ? dirname(filename) : filename);
      const source = readOnlyConfiguration(backup);
      const animals = await placeCheckedCopy('restore', source, filename, owner, reportDamage, signal, () => {
        if (kept !== undefined) keepDatabase(filename, kept);
      });
      return { animals, kept };
    } catch (error) {
      if (isNew) rmSync(filename, { force: true });
      throw error;
    }
  });
};
