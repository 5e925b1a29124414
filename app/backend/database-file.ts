import {
  accessSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { errorCode } from '../error-code';

const codeOfFailed = (call: () => unknown): string | undefined => {
  try {
    call();
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
};

const isPermitted = (path: string, mode: number): boolean =>
  codeOfFailed(() => {
    accessSync(path, mode);
  }) === undefined;

const readable = constants.R_OK | constants.W_OK;

const existingFileAdvice = (file: string): string | undefined => {
  const found = statSync(file);
  if (found.isDirectory()) return 'it is a folder; name a file in it';
  if (!found.isFile()) return 'it is not a regular file; name another file';
  return isPermitted(file, readable) ? undefined : 'let this user read and write it';
};

/**
 * Returns advice on a database file that can't be used, or undefined. failures.ts adds it to error messages;
 * backend.ts, doctor/doctor.ts and commands/backup.ts use it to check the file.
 */
export const fileAdvice = (filename: string): string | undefined => {
  const file = resolve(filename);
  const folder = dirname(file);
  if (!existsSync(folder)) return `create the folder ${folder}`;
  if (!statSync(folder).isDirectory()) return `${folder} is a file; name a file in a folder`;
  if (!isPermitted(folder, constants.W_OK | constants.X_OK))
    return `let this user write in the folder ${folder}`;
  switch (codeOfFailed(() => statSync(file))) {
    case undefined:
      return existingFileAdvice(file);
    case 'ELOOP':
      return 'it is a symbolic link to itself; name a file';
    default:
      // SQLite refuses a file if the name of its `-journal` file would be too long.
      if (codeOfFailed(() => statSync(`${file}-journal`)) === 'ENAMETOOLONG')
        return 'its name is too long; name another file';
      return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
        ? fileAdvice(resolve(realpathSync(folder), readlinkSync(file)))
        : undefined;
  }
};

const ownerOnlyMode = 0o600;

const isRoot = (): boolean => process.getuid?.() === 0;

export const giveToFolderOwner = (filename: string): void => {
  if (!isRoot()) return;
  const { uid, gid } = statSync(dirname(realpathSync(filename)));
  chownSync(filename, uid, gid);
};

export const createForFolderOwner = (filename: string): void => {
  if (!isRoot() || existsSync(filename)) return;
  try {
    closeSync(openSync(filename, 'a', ownerOnlyMode));
    giveToFolderOwner(filename);
  } catch {
    // Ignores the error, because opening the database fails for the same reason and reports it.
  }
};
