import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { permanentError } from '../database/database-error';
import { withPool } from '../database/with-pool';
import { generationMismatch, readSchemaState } from '../migrations/schema-state';
import { type CopyOptions, copyPages } from './copy-pages';
import { findDamage } from '../sqlite/find-damage';
import { openToLook } from '../sqlite/open-to-look';
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

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

/**
 * Copies the store in a SQLite file to another one, mode 0600, which is given to `use` once it is checked and on the disk,
 * with the number of its animals. It may move it; what it leaves is removed, and so is what an interruption leaves.
 */
export const withCheckedCopy = async <A>(
  source: string,
  copy: string,
  options: CopyOptions,
  use: (animals: number) => Promise<A>,
): Promise<A> => {
  if (!existsSync(source)) throw permanentError(`there is no file ${source}`);
  if ((await ownerOfFile(source)) !== 'ours')
    throw permanentError(`${source} is no database of an animal store`);
  closeSync(openSync(copy, 'wx', ownerOnly));
  try {
    await withPool(openToLook(source), (file) => copyPages(file, copy, options));
    const animals = await check(copy, options);
    sync(copy);
    return await use(animals);
  } finally {
    for (const ending of ['', '-journal']) rmSync(`${copy}${ending}`, { force: true });
  }
};

/** Gives a copy the name of a file, whose place it takes: whatever ends that early, the file is what it was. */
export const putInPlace = (copy: string, file: string): void => {
  renameSync(copy, file);
  sync(dirname(file));
};
