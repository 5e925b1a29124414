import { constVoid } from 'fp-ts/function';
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { isMountPoint } from './paths';
import { createPrivateFile } from './private-file';

/**
 * Calls `write` with the name of a partial file. Replaces `file` with the partial file once that is complete and on the
 * disk. A failure leaves `file` unchanged, and removes the partial file.
 */
export const writeAtomically = async <A>(
  file: string,
  write: (partial: string) => Promise<A>,
  beforeRename?: () => void,
): Promise<A> => {
  const partial = createPartial(file);
  try {
    const result = await write(partial);
    await placePartial(partial, file, beforeRename);
    return result;
  } finally {
    // Removes the partial file and SQLite's journal. There is no write-ahead log, because copies are not in WAL mode.
    for (const ending of ['', '-journal']) rmSync(`${partial}${ending}`, { force: true });
  }
};

/**
 * Creates an empty partial file with the group and permissions of `file` and, if the process runs as root, its owner.
 * If `file` does not exist, only the owner can read the new file. Throws if `file` is a mount point, which a rename
 * can't replace.
 */
export const createPartial = (file: string): string => {
  if (isMountPoint(file))
    throw new Error(`${file} is a mount point, so no file can take its place; mount its folder instead`);
  const folder = dirname(file);
  removeStalePartials(folder);
  const partial = join(folder, `${basename(file)}.animal-store-${randomUUID()}.partial`);
  createPrivateFile(partial, statSync(file, { throwIfNoEntry: false }));
  return partial;
};

const dayMs = 86_400_000;

const partialEnding = /\.animal-store-[\da-f-]{36}\.partial(-journal)?$/;

/** Returns the name that a partial file gets when it is complete. Returns other names unchanged. */
export const withoutPartialEnding = (path: string): string => path.replace(partialEnding, '');

const namesIn = (folder: string): ReadonlyArray<string> => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** Deletes partial files that are older than a day, from processes that were killed. Ignores errors. */
const removeStalePartials = (folder: string): void => {
  for (const name of namesIn(folder).filter((file) => partialEnding.test(file))) {
    try {
      const path = join(folder, name);
      if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path);
    } catch {
      // Leaves the file to the next command, which tries again.
    }
  }
};

/** Syncs a partial file to the disk, renames it to `file`, and syncs the folder. */
export const placePartial = async (
  partial: string,
  file: string,
  beforeRename: () => void = constVoid,
): Promise<void> => {
  await sync(partial);
  beforeRename();
  renameSync(partial, file);
  // Ignores an error, as SQLite does, because some users and file systems can't sync a folder.
  await sync(dirname(file)).catch(() => undefined);
};

const sync = async (path: string): Promise<void> => {
  const handle = await open(path);
  await handle.sync().finally(() => handle.close());
};
