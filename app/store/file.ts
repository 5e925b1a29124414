import { accessSync, constants, existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isMountPoint } from '../../adapters/knex';

const isPermitted = (path: string, mode: number): boolean => {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

/** Returns the name of a user, or the id of a user without a name. */
export const userName = (uid: number): string => {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  const [name] = users.map((line) => line.split(':')).find(([, , id]) => id === String(uid)) ?? [];
  return name ?? `the user ${uid}`;
};

export const ownerOf = (path: string): string => userName(statSync(path).uid);

const readable = constants.R_OK | constants.W_OK;

/**
 * Returns advice on a database file that can't be used, or undefined. failures.ts adds it to error messages;
 * backend.ts, doctor.ts and commands/backup.ts use it to check the file.
 */
export const fileAdvice = (filename: string): string | undefined => {
  const file = existsSync(filename) ? realpathSync(filename) : resolve(filename);
  const folder = dirname(file);
  if (!existsSync(folder)) return `create the folder ${folder}`;
  if (!statSync(folder).isDirectory()) return `${folder} is a file; name a file in a folder`;
  if (!isPermitted(folder, constants.W_OK | constants.X_OK))
    return `let this user write in the folder ${folder}, which belongs to ${ownerOf(folder)}`;
  if (!existsSync(file)) return undefined;
  const found = statSync(file);
  if (found.isDirectory()) return 'it is a folder; name a file in it';
  if (!found.isFile()) return 'it is not a regular file; name another file';
  const unusable = [file, `${file}-wal`, `${file}-shm`].find(
    (path) => existsSync(path) && !isPermitted(path, readable),
  );
  if (unusable === undefined) return undefined;
  return `let this user read and write ${unusable}, which belongs to ${ownerOf(unusable)}`;
};

/** Returns advice on a database file whose log would be outside its volume, or undefined. */
export const mountAdvice = (filename: string): string | undefined =>
  isMountPoint(filename)
    ? `${filename} is mounted without its folder, so its log is lost with the container; mount its folder instead`
    : undefined;
