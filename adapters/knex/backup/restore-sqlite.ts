import { chmodSync, chownSync, existsSync, rmSync, statSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import { isBusy, isDamage, permanentError, toError } from '../database/database-error';
import { withPool } from '../database/with-pool';
import { placeCheckedCopy } from './checked-copy';
import type { CopyOptions } from './copy-pages';
import { followLinks } from '../sqlite/follow-links';
import { openToLook } from '../sqlite/open-to-look';
import { poolConfiguration } from '../sqlite/pool-configuration';
import { makePrivately, ownerOfFile } from '../sqlite/sqlite-file';

/** How a backup takes the place of what is there. */
export interface RestoreOptions extends CopyOptions {
  /** Whether animals that are there, or a file that is damaged, may be replaced. */
  readonly mayReplace: boolean;
}

const hasAnimals = async (file: Knex): Promise<boolean> =>
  (await file.schema.hasTable('pets')) && (await file('pets').first<unknown>('id')) !== undefined;

/** Whether there is something that must not be lost; `damaged` where nobody can tell. */
const lookAt = async (filename: string): Promise<'replaceable' | 'animals' | 'damaged'> => {
  try {
    if ((await ownerOfFile(filename)) === 'others') {
      throw permanentError(`${filename} is the database of another program`);
    }
    return (await withPool(openToLook(filename), hasAnimals)) ? 'animals' : 'replaceable';
  } catch (error) {
    if (isDamage(error)) return 'damaged';
    throw error;
  }
};

const refuse = (filename: string, found: 'animals' | 'damaged'): Error =>
  permanentError(
    found === 'animals'
      ? `there are animals in ${filename}: with --replace they are lost`
      : `${filename} is damaged, and may hold animals: with --replace they are lost`,
  );

/**
 * Works while nobody else has the file open, and none can open it. SQLite leaves the write-ahead log only for one who is
 * alone; what is in it goes to the file, and the log and its index go away.
 */
const whileAlone = <A>(filename: string, work: () => Promise<A>): Promise<A> =>
  // A pool closes what has lain idle for half a minute, and with it the lock, unless it is to keep one.
  withPool(knex(poolConfiguration({ filename }, { min: 1 })), async (file) => {
    try {
      await file.raw('PRAGMA locking_mode = EXCLUSIVE');
      await file.raw('PRAGMA journal_mode = DELETE');
      await file.raw('BEGIN EXCLUSIVE');
    } catch (error) {
      if (isBusy(error))
        throw permanentError(`${filename} is in use: stop the service, and whatever else has it open`);
      throw toError(error);
    }
    return work();
  });

/** Owner and mode of the file that is replaced: it stays readable to the same users. */
const takeOver = (copy: string, filename: string): void => {
  const { mode, uid, gid } = statSync(filename);
  const own = statSync(copy);
  if (uid !== own.uid || gid !== own.gid) chownSync(copy, uid, gid);
  chmodSync(copy, mode & 0o7777);
};

/**
 * Puts a backup in the place of a database that nobody has open, checked before; what SQLite had beside that one goes
 * with it. Whatever ends it early, the database is what it was. Answers with the number of animals.
 */
export const restoreSqlite = async (
  backup: string,
  database: string,
  { mayReplace, ...options }: RestoreOptions,
): Promise<number> => {
  const isThere = existsSync(database);
  // A service that is started meanwhile would make the file, and what it acknowledged would be lost.
  if (!isThere) makePrivately(database);
  const filename = followLinks(database);
  const replace = (): Promise<number> =>
    placeCheckedCopy(backup, filename, options, (copy) => {
      takeOver(copy, filename);
    });
  if (isThere) {
    // A pipe would keep who opens it waiting, deaf to signals.
    if (!statSync(filename).isFile()) throw permanentError(`${filename} is no regular file`);
    if (followLinks(backup) === filename) throw permanentError(`${backup} is the database itself`);
    const found = await lookAt(filename);
    if (found !== 'replaceable' && !mayReplace) throw refuse(filename, found);
    return found === 'damaged' ? replace() : whileAlone(filename, replace);
  }
  return whileAlone(filename, async () => {
    try {
      return await replace();
    } catch (error) {
      rmSync(filename, { force: true });
      throw error;
    }
  });
};
