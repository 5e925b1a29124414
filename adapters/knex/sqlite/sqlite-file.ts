import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { permanentError, toError } from '../database/database-error';
import { readSchemaState } from '../migrations/schema-state';
import { withPool } from '../database/with-pool';
import { openToLook } from './open-to-look';
import { readApplicationId } from './with-write-lock';

/** 'anml': marks a file as this project's (SQLite file format, offset 68). */
export const applicationId = 0x616e6d6c;

/** The mode of a new file: API keys' hashes and what clients keep are nobody else's business. */
export const ownerOnly = 0o600;

/**
 * Makes a file that is not there, readable by its owner alone; SQLite gives its mode to the files beside it. What keeps it
 * from that SQLite itself will say. A file that is there is not opened: closing it would free the locks of this process.
 */
export const makePrivately = (filename: string): void => {
  try {
    // Not by O_EXCL: a link to a file that is not there yet makes that file.
    if (!existsSync(filename)) closeSync(openSync(filename, 'a', ownerOnly));
  } catch {
    return;
  }
};

/** Looks whose a SQLite file is, and changes no byte. One that does not exist or is empty is nobody's. */
export const ownerOfFile = async (filename: string): Promise<'nobody' | 'ours' | 'others'> => {
  const found = statSync(filename, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.size === 0) return 'nobody';
  return withPool(openToLook(filename), async (file) => {
    const id = await readApplicationId(file);
    if (id === applicationId) return 'ours';
    if (id !== 0) return 'others';
    if ((await file('sqlite_master').first('name')) === undefined) return 'nobody';
    return (await readSchemaState(file)).generation > 0 ? 'ours' : 'others';
  }).catch((error: unknown) => {
    throw toError(error);
  });
};

/** Rejects a file that is another program's. */
export const refuseFileOfOthers = async (filename: string): Promise<void> => {
  if ((await ownerOfFile(filename)) !== 'others') return;
  throw permanentError('the file is the database of another program: name a file that is not there yet');
};
