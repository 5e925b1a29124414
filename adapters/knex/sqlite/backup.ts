import knex, { type Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withPool } from '../database/connections';
import { isDamage, isDiskFull, permanentError, tryOrError, withoutStatement } from '../database/errors';
import { poolConfiguration } from './connection';
import { findDamage, isInUse, isMountPoint, ownerOnly, refuseReader, resolveSymlink } from './file';

export interface CopyOptions {
  readonly mayReplace: boolean;
  readonly signal: AbortSignal;
}

interface Interruptible {
  readonly interrupt: () => void;
}

/** Runs work on a new connection, whose statement ends when the signal is aborted. */
const withInterruption = async <A>(
  { pool, ...configuration }: Knex.Config,
  signal: AbortSignal,
  work: (file: Knex) => Promise<A>,
): Promise<A> => {
  let connection: Interruptible | undefined;
  const interrupt = (): void => connection?.interrupt();
  const afterCreate = (opened: Interruptible, done: () => void): void => {
    connection = opened;
    done();
  };
  const file = knex({ ...configuration, pool: { ...pool, afterCreate } });
  return withPool(file, async () => {
    signal.throwIfAborted();
    signal.addEventListener('abort', interrupt);
    try {
      return await work(file);
    } catch (error) {
      signal.throwIfAborted();
      throw withoutStatement(error);
    } finally {
      // Ends before the pool closes the connection, because the driver can't interrupt a closed connection.
      signal.removeEventListener('abort', interrupt);
    }
  });
};

const sync = (path: string): void => {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const dayMs = 86_400_000;

type PartialFileCommand = 'backup' | 'restore' | 'export';

/** Deletes what killed runs of the command have left in a folder. Some users may write a folder, but not read it. */
const removeStalePartials = (folder: string, command: PartialFileCommand): void => {
  const isPartial = new RegExp(`\\.${command}-[0-9a-f-]{36}\\.partial(-journal)?$`);
  void tryOrError(() => {
    for (const name of readdirSync(folder).filter((other) => isPartial.test(other))) {
      const path = join(folder, name);
      if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path);
    }
  });
};

/**
 * Returns a name next to `file`, for content that replaces `file` by a rename once it is complete; app/transfer/files.ts
 * calls it too. The name is random, because a killed process leaves its file behind, and process ids repeat in
 * containers. Throws if `file` is a mount point, which a rename can't replace.
 */
export const partialFileFor = (file: string, command: PartialFileCommand): string => {
  if (isMountPoint(file))
    throw permanentError(`${file} is a mount point, so no file can take its place; mount its folder instead`);
  const folder = dirname(file);
  removeStalePartials(folder, command);
  return join(folder, `${basename(file)}.${command}-${randomUUID()}.partial`);
};

/** Says that a copy or its source is damaged. */
export type ReportDamage = (damage: string) => string;

const copyAndCheck = async (
  source: Knex.Config,
  copy: string,
  reportDamage: ReportDamage,
  signal: AbortSignal,
): Promise<number> => {
  try {
    await withInterruption(source, signal, (file) => file.raw('vacuum into ?', [copy]));
  } catch (error) {
    throw isDamage(error) ? new Error(reportDamage(withoutStatement(error).message)) : error;
  }
  // On a connection that can't write, the check would miss rows that violate a CHECK constraint.
  return withInterruption(poolConfiguration({ filename: copy }), signal, async (file) => {
    const damage = await findDamage(file, 'integrity_check');
    if (damage !== undefined) throw new Error(reportDamage(damage));
    const { count } = await file('pets').count({ count: '*' }).first<{ count: number }>();
    return count;
  });
};

/**
 * Copies a store into a file that replaces `file` only when the copy is checked and on the disk. `beforeRename` runs
 * just before. Returns the number of animals.
 */
export const placeCheckedCopy = async (
  command: 'backup' | 'restore',
  source: Knex.Config,
  file: string,
  owner: Stats,
  reportDamage: ReportDamage,
  signal: AbortSignal,
  beforeRename?: () => void,
): Promise<number> => {
  const copy = partialFileFor(file, command);
  try {
    closeSync(openSync(copy, 'wx', ownerOnly));
    const animals = await copyAndCheck(source, copy, reportDamage, signal);
    if (process.getuid?.() === 0) chownSync(copy, owner.uid, owner.gid);
    sync(copy);
    signal.throwIfAborted();
    beforeRename?.();
    renameSync(copy, file);
    // Some users and file systems can't sync a folder. SQLite ignores this error too.
    void tryOrError(() => {
      sync(dirname(file));
    });
    return animals;
  } catch (error) {
    if (isDiskFull(error)) throw permanentError(`no space is left on the disk of ${file}; free space there`);
    throw error;
  } finally {
    for (const ending of ['', '-journal']) rmSync(`${copy}${ending}`, { force: true });
  }
};

export const isSameFile = (one: Stats, other: Stats): boolean =>
  one.dev === other.dev && one.ino === other.ino;

const refuseTarget = (database: string, file: string, mayReplace: boolean): void => {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isFile()) throw permanentError(`${file} is not a regular file; name another file`);
  if (isSameFile(found, statSync(database)))
    throw permanentError(`${file} is the database itself; name another file`);
  if (!mayReplace) throw permanentError(`${file} exists; name another file, or replace it with --replace`);
  if (isInUse(file))
    throw permanentError(`${file} is a database that is in use or was not closed; name another file`);
};

/**
 * Writes a checked copy of a database, which may be in use, to a new file that only the owner of its folder can read;
 * app/commands/backup.ts calls it. Replaces an existing file only with `mayReplace`. Returns the number of animals.
 */
export const backupSqlite = async (
  database: string,
  target: string,
  { mayReplace, signal }: CopyOptions,
): Promise<number> => {
  refuseTarget(database, target, mayReplace);
  refuseReader(database);
  const file = existsSync(target) ? resolveSymlink(target) : target;
  const reportDamage: ReportDamage = (damage) =>
    `the database or its copy is damaged: ${damage}; run \`animal-store doctor --full\``;
  const source = poolConfiguration({ filename: database });
  return placeCheckedCopy('backup', source, file, statSync(dirname(file)), reportDamage, signal);
};
