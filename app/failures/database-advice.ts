import { accessSync, constants, existsSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { DatabaseAddress } from '../settings/database-address';
import { errorText } from './error-text';
import { postgresAdvice } from './postgres-advice';

const general = 'see that DATABASE_URL is right, and that this user may read and write there';

const isPermitted = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

const readable = constants.R_OK | constants.W_OK;

/** What a link names; undefined where there is none. */
const linkIn = (path: string): string | undefined => {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
};

/** What keeps a SQLite file from being opened or made, by a look at the file system: undefined where that shows nothing. */
export const fileAdvice = (filename: string): string | undefined => {
  const file = resolve(filename);
  const folder = dirname(file);
  if (!existsSync(folder)) return `make the folder ${folder}`;
  if (!statSync(folder).isDirectory()) return `${folder} is a file: name a file in a folder`;
  // SQLite keeps its write-ahead log beside the file.
  if (!isPermitted(folder, readable | constants.X_OK)) return `let this user write in the folder ${folder}`;
  if (!existsSync(file)) {
    const link = linkIn(file);
    return link === undefined ? undefined : fileAdvice(resolve(realpathSync(folder), link));
  }
  if (statSync(file).isDirectory()) return 'it is a folder: name a file in it';
  return isPermitted(file, readable) ? undefined : 'let this user read and write it';
};

/** What to do about a database that can't be used for this cause. */
export const databaseAdvice = (address: DatabaseAddress | undefined, cause: unknown): string => {
  if (/damaged|malformed/.test(errorText(cause))) return 'put a backup in its place';
  if (errorText(cause).includes('SQLITE_NOTADB')) return 'it is a file of another program: set DATABASE_URL';
  if (/SQLITE_FULL|ENOSPC/.test(errorText(cause))) return 'make room on its disk';
  if (errorText(cause).includes('SQLITE_BUSY')) return 'wait until the process that writes to it has ended';
  switch (address?._tag) {
    case 'Sqlite':
      return fileAdvice(address.filename) ?? general;
    case 'Postgres':
      return postgresAdvice(cause) ?? general;
    default:
      return general;
  }
};
