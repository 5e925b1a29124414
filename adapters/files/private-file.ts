import { closeSync, existsSync, fchmodSync, fchownSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveSymlink } from './paths';

/** Changes owner and group. Returns false if the system refuses, as in some containers and on NFS. */
const changeOwner = (file: number, uid: number, gid: number): boolean => {
  try {
    fchownSync(file, uid, gid);
    return true;
  } catch {
    return false;
  }
};

/**
 * Gives a file the group and permissions of `replaced`. If the group can't be changed, the file's own group gets no
 * more rights than all users.
 */
const copyPermissions = (file: number, { mode, gid }: Stats): void => {
  const allowed = changeOwner(file, -1, gid) ? 0o7777 : 0o5707 | ((mode & 0o7) << 3);
  fchmodSync(file, mode & allowed);
};

/**
 * Creates a missing file that only its owner can read. If the process runs as root, gives the file to the owner of the
 * folder. With `replaced`, the file gets the group and permissions of `replaced` and, if the process runs as root, its
 * owner. Never opens an existing file. Closing it would release the POSIX locks of this process on it, and root might
 * change the owner of the target of a link.
 */
export const createPrivateFile = (filename: string, replaced?: Stats): void => {
  const path = resolveSymlink(filename);
  if (existsSync(path)) return;
  let file: number;
  try {
    file = openSync(path, 'ax', 0o600);
  } catch (error) {
    if (existsSync(path)) return;
    throw error;
  }
  try {
    if (process.getuid?.() === 0) {
      const { uid, gid } = replaced ?? statSync(dirname(path));
      changeOwner(file, uid, gid);
    }
    if (replaced !== undefined) copyPermissions(file, replaced);
  } finally {
    closeSync(file);
  }
};
