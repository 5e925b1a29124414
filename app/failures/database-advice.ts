import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseAddress } from '../settings/database-address';

const general = 'see that DATABASE_URL is right, and that this user may read and write there';

const isPermitted = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

/** What keeps a SQLite file from being opened or made, by a look at the file system: undefined where that shows nothing. */
export const fileObstacle = (filename: string): string | undefined => {
  const file = resolve(filename);
  const folder = dirname(file);
  if (!existsSync(folder)) return `make the folder ${folder}`;
  // SQLite keeps its write-ahead log beside the file.
  if (!isPermitted(folder)) return `let this user write in the folder ${folder}`;
  if (!existsSync(file)) return undefined;
  if (statSync(file).isDirectory()) return 'it is a folder: name a file in it';
  return isPermitted(file) ? undefined : 'let this user read and write it';
};

/** What to do about a database that can't be used. */
export const databaseAdvice = (address: DatabaseAddress | undefined): string =>
  (address?._tag === 'Sqlite' ? fileObstacle(address.filename) : undefined) ?? general;
