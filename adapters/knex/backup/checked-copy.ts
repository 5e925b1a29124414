import { constVoid } from 'fp-ts/function';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isDamage, orError, permanentError, toError } from '../database/database-error';
import { withPool } from '../database/with-pool';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';
import { type CopyOptions, copyPages } from './copy-pages';
import { findDamage } from '../sqlite/find-damage';
import { isInUse, openToLook } from '../sqlite/open-to-look';
import { ownerOfFile, ownerOnly } from '../sqlite/sqlite-file';
import { withConnection } from './with-connection';

/** Reads all of it, and answers with how many animals are in it. */
const check = (copy: string, { signal }: CopyOptions): Promise<number> =>
  withPool(openToLook(copy), (file) =>
    withConnection(file, async (transaction, connection) => {
      const giveUp = (): void => {
        connection.interrupt();
      };
      signal.throwIfAborted();
      signal.addEventListener('abort', giveUp);
      try {
        const damage = await findDamage(transaction, 'integrity_check');
        if (damage !== undefined) throw new Error(`the copy is damaged: ${damage}`);
        const mismatch = generationMismatch(await readSchemaState(transaction));
        if (mismatch !== undefined) throw permanentError(mismatch);
        const { count } = await transaction('pets').count({ count: '*' }).first<{ count: number }>();
        return count;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    }),
  );

/**
 * One that nobody has open is read without a lock. Where somebody has written to it meanwhile the copy is of several
 * moments, and made anew.
 */
const copyOneMoment = async (source: string, copy: string, options: CopyOptions): Promise<void> => {
  const isLocked = isInUse(source);
  const { mtimeNs } = statSync(source, { bigint: true });
  await withPool(openToLook(source), (opened) => copyPages(opened, copy, options));
  if (isLocked || statSync(source, { bigint: true }).mtimeNs === mtimeNs) return;
  truncateSync(copy);
  await copyOneMoment(source, copy, options);
};

/** Rejects, by its name, what is no store; SQLite can make no sense of a file of another kind either. */
const refuseNoStore = async (source: string): Promise<void> => {
  if (!existsSync(source)) throw permanentError(`there is no file ${source}`);
  const noStore = `${source} is no database of an animal store`;
  const owner = await ownerOfFile(source).catch((error: unknown) => {
    if (isDamage(error)) throw permanentError(`${noStore}, or is damaged: ${toError(error).message}`);
    throw error;
  });
  if (owner !== 'ours') throw permanentError(noStore);
};

/** A name that no attempt before has taken: one that was killed leaves its file, and in a container it had the same pid. */
const partialName = (file: string): string => `${file}.${randomUUID()}.partial`;

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Copies the store in a SQLite file to another file, for its owner alone, whose place the copy takes once it is checked and
 * on the disk. What is to be done just before that, `prepare` does with the copy. Whatever ends it early, the file is what
 * it was, and what an interruption leaves is removed. Answers with the number of animals.
 */
export const placeCheckedCopy = async (
  source: string,
  file: string,
  options: CopyOptions,
  prepare: (copy: string) => void = constVoid,
): Promise<number> => {
  await refuseNoStore(source);
  const copy = partialName(file);
  closeSync(openSync(copy, 'wx', ownerOnly));
  try {
    await copyOneMoment(source, copy, options);
    const animals = await check(copy, options);
    sync(copy);
    prepare(copy);
    // A log of another file would be taken for its own.
    for (const ending of ['-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true });
    renameSync(copy, file);
    // As SQLite does: not everybody may read a folder, nor does every file system sync one, and the copy is in its place.
    void orError(() => {
      sync(dirname(file));
    });
    return animals;
  } finally {
    for (const ending of ['', '-journal']) rmSync(`${copy}${ending}`, { force: true });
  }
};
