import { closeSync, existsSync, fchmodSync, fchownSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveSymlink } from './paths';

const giveToOwner = (file: number, { uid, gid }: Stats): void => {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Root can't change the owner in a container without capabilities, or on NFS. The file then still belongs to root.
  }
};

/**
 * Creates a missing file that only its owner can read. If the process runs as root, gives the file to the owner of the
 * folder. A file that is to replace another one gets the owner and the permissions of `replaced` instead. Never opens
 * an existing file. Closing it would release the POSIX locks of this process on it, and root might give away a file to
 * which a link leads.
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
    if (process.getuid?.() === 0) giveToOwner(file, replaced ?? statSync(dirname(path)));
    if (replaced !== undefined) fchmodSync(file, replaced.mode & 0o7777);
  } finally {
    closeSync(file);
  }
};
