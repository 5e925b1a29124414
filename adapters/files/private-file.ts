import { closeSync, existsSync, fchownSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { resolveSymlink } from './paths';

const giveToOwner = (file: number, folder: string): void => {
  const { uid, gid } = statSync(folder);
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Root can't change the owner in a container without capabilities, or on NFS. The file then still belongs to root.
  }
};

/**
 * Creates a missing file that only its owner can read. If the process runs as root, gives the file to the owner of the
 * folder. Never opens an existing file. Closing it would release the POSIX locks of this process on it, and root might
 * give away a file to which a link leads.
 */
export const createPrivateFile = (filename: string): void => {
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
    if (process.getuid?.() === 0) giveToOwner(file, dirname(path));
  } finally {
    closeSync(file);
  }
};
