import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Stats } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { resolveFreeTarget } from './resolve-target';

/** Owner and mode of the file that is to be replaced: it stays readable to the same users. */
const takeOver = async (handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> => {
  const { uid: ownUid, gid: ownGid } = await handle.stat();
  if (uid !== ownUid || gid !== ownGid) await handle.chown(uid, gid);
  await handle.chmod(mode & 0o7777);
};

const newFileMode = 0o666;
const privateMode = 0o600;

/**
 * Writes a file under another name beside it, and gives it its own once the disk has all of it: whatever ends that
 * early, the file is what it was. What a link points to is replaced, not the link. A pipe or a device is refused, and
 * so are the files of the database itself, if it is a SQLite file.
 */
export const writeFile =
  (file: string, database: string | undefined) =>
  async (texts: AsyncIterable<string>, signal: AbortSignal): Promise<void> => {
    const { path, earlier } = resolveFreeTarget(file, database);
    // One that was killed leaves its file, and in a container it had the same pid.
    const partial = `${path}.${randomUUID()}.partial`;
    const handle = await open(partial, 'wx', earlier === undefined ? newFileMode : privateMode);
    try {
      if (earlier !== undefined) await takeOver(handle, earlier);
      await pipeline(texts, handle.createWriteStream({ flush: true }), { signal });
      await rename(partial, path);
    } catch (error) {
      await handle.close();
      await rm(partial, { force: true });
      throw error;
    }
  };
