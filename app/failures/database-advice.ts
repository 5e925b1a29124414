import { accessSync, constants, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { toError } from 'fp-ts/Either';
import type { DatabaseAddress } from '../settings/database-address';
import { errorCode } from './error-code';
import { postgresAdvice } from './postgres-advice';

const general = 'see that DATABASE_URL is right, and that this user may read and write there';

/** The code of what a look at the file system throws. */
const refusal = (look: () => unknown): string | undefined => {
  try {
    look();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
};

const isPermitted = (path: string, mode: number): boolean =>
  refusal(() => {
    accessSync(path, mode);
  }) === undefined;

const readable = constants.R_OK | constants.W_OK;

const existingFileAdvice = (file: string): string | undefined => {
  const found = statSync(file);
  if (found.isDirectory()) return 'it is a folder: name a file in it';
  if (!found.isFile()) return 'it is no regular file: name one';
  return isPermitted(file, readable) ? undefined : 'let this user read and write it';
};

/** What keeps a SQLite file from being opened or made, by a look at the file system: undefined where that shows nothing. */
export const fileAdvice = (filename: string): string | undefined => {
  const file = resolve(filename);
  const folder = dirname(file);
  if (!existsSync(folder)) return `make the folder ${folder}`;
  if (!statSync(folder).isDirectory()) return `${folder} is a file: name a file in a folder`;
  // SQLite keeps its write-ahead log beside the file.
  if (!isPermitted(folder, readable | constants.X_OK)) return `let this user write in the folder ${folder}`;
  switch (refusal(() => statSync(file))) {
    case undefined:
      return existingFileAdvice(file);
    case 'ELOOP':
      return 'it is a link that leads to itself: name a file';
    case 'ENAMETOOLONG':
      return 'its name is too long: name another file';
    default:
      return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
        ? fileAdvice(resolve(realpathSync(folder), readlinkSync(file)))
        : undefined;
  }
};

/** What to do about a database that can't be used for this cause. */
export const databaseAdvice = (address: DatabaseAddress | undefined, cause: unknown): string => {
  const { message } = toError(cause);
  if (/damaged|malformed/.test(message)) return 'put a backup in its place';
  if (message.includes('SQLITE_NOTADB')) return 'it is a file of another program: set DATABASE_URL';
  if (/SQLITE_FULL|ENOSPC/.test(message)) return 'make room on its disk';
  if (message.includes('SQLITE_BUSY')) return 'wait until the process that writes to it has ended';
  switch (address?._tag) {
    case 'Sqlite':
      return fileAdvice(address.filename) ?? general;
    case 'Postgres':
      return postgresAdvice(cause) ?? general;
    default:
      return general;
  }
};
