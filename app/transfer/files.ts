import { randomUUID } from 'node:crypto';
import {
  constants,
  createReadStream,
  fstat,
  lstatSync,
  open as openDescriptor,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { addAbortSignal, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import { writeFully } from '../terminal/terminal';

const standardInput = 0;

const openFile = (file: string): Promise<number> =>
  promisify(openDescriptor)(file, constants.O_RDONLY | constants.O_NONBLOCK);

const streamOf = (fd: number, stats: Stats) => {
  if (isatty(fd)) return new ReadStream(fd);
  return stats.isFIFO() || stats.isSocket()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream('', { fd });
};

/**
 * Opens the file that commands/import.ts reads, or standard input for `-`. Without O_NONBLOCK, opening a pipe without a
 * writer blocks a thread, and the process can't exit. Pipes and terminals are read through a socket stream, because a
 * pending read of a file stream can't be aborted.
 */
export const openSource = async (file: string, interruption: AbortSignal) => {
  interruption.throwIfAborted();
  const fd = file === '-' ? standardInput : await openFile(file);
  const stats = await promisify(fstat)(fd);
  const stream = streamOf(fd, stats);
  // Prevents an unhandled error event if `interruption` is already aborted. The first read then throws the error.
  stream.on('error', () => undefined);
  const chunks: AsyncIterable<Uint8Array> = addAbortSignal(interruption, stream);
  return {
    chunks,
    fraction: () =>
      stats.isFile() && stats.size > 0 ? Math.min(stream.bytesRead / stats.size, 1) : undefined,
    close: (): void => {
      stream.destroy();
    },
  };
};

interface Target {
  readonly path: string;
  readonly earlier: Stats | undefined;
}

const resolveTarget = (file: string): Target => {
  const earlier = statSync(file, { throwIfNoEntry: false });
  if (earlier !== undefined) return { path: realpathSync.native(file), earlier };
  const folder = realpathSync.native(dirname(file));
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
    ? resolveTarget(resolve(folder, readlinkSync(file)))
    : { path: join(folder, basename(file)), earlier };
};

const isSameFile = (one: Target, other: Target): boolean =>
  one.path === other.path ||
  (one.earlier !== undefined &&
    one.earlier.ino === other.earlier?.ino &&
    one.earlier.dev === other.earlier.dev);

const databaseSuffixes = ['', '-wal', '-shm', '-journal'];

const databaseTargets = (database: string): ReadonlyArray<Target> => {
  const { path } = resolveTarget(database);
  return databaseSuffixes.map((suffix) => resolveTarget(`${path}${suffix}`));
};

export const resolveOutputFile = (file: string, database: string | undefined): Target => {
  const target = resolveTarget(file);
  if (target.earlier?.isFile() === false) {
    throw new Error(`${file} is not a regular file; write to standard output instead`);
  }
  if (database !== undefined && databaseTargets(database).some((other) => isSameFile(target, other))) {
    throw new Error(`${file} is the database itself; name another file`);
  }
  return target;
};

const sqliteHeader = 'SQLite format 3\0';

const refuseDatabase = async ({ path, earlier }: Target): Promise<void> => {
  if (earlier === undefined) return;
  const handle = await open(path);
  try {
    const head = Buffer.alloc(sqliteHeader.length);
    await handle.read(head, 0, head.length, 0);
    if (head.toString('latin1') === sqliteHeader)
      throw new Error(`${path} is a SQLite database; name another file`);
  } finally {
    await handle.close();
  }
};

const copyOwnership = async (handle: FileHandle, { mode, uid, gid }: Stats): Promise<void> => {
  const { uid: ownUid, gid: ownGid } = await handle.stat();
  if (uid !== ownUid || gid !== ownGid) await handle.chown(uid, gid);
  await handle.chmod(mode & 0o7777);
};

const newFileMode = 0o666;
const privateMode = 0o600;

/**
 * Writes a temporary file in the same folder, flushes it to the disk and renames it; commands/export.ts calls it. A
 * failure leaves the earlier file unchanged. A symbolic link is followed, not replaced. The temporary name is random,
 * because a killed process leaves its file behind, and process ids repeat in containers.
 */
export const writeFile = async (
  file: string,
  database: string | undefined,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<void> => {
  const target = resolveOutputFile(file, database);
  await refuseDatabase(target);
  const { path, earlier } = target;
  const partial = `${path}.${randomUUID()}.partial`;
  const handle = await open(partial, 'wx', earlier === undefined ? newFileMode : privateMode);
  try {
    if (earlier !== undefined) await copyOwnership(handle, earlier);
    await pipeline(texts, handle.createWriteStream({ flush: true }), { signal });
    await rename(partial, path);
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
};

export const writeStandardOutput = (
  output: Writable,
  texts: AsyncIterable<string | Uint8Array>,
  signal: AbortSignal,
): Promise<void> => {
  // Wraps standard output, because `pipeline` ends its last stream, and standard output must stay open.
  const sink = new Writable({
    highWaterMark: 1,
    decodeStrings: false,
    write: (data: string | Uint8Array, _encoding, done) => {
      writeFully(output, data).then(() => {
        done();
      }, done);
    },
  });
  return pipeline(texts, sink, { signal });
};
