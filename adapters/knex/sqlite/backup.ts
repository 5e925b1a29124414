import { constVoid } from 'fp-ts/function';
import knex, { type Knex } from 'knex';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { isDamage, isDiskFull, permanentError, withoutStatement, tryOrError } from '../database/errors';
import { withPool } from '../database/connections';
import { readSchemaState, type SchemaState } from '../migrations/migrations';
import { findDamage, identifyFile, isInUse, ownerOnly, readOnlyConfiguration, readSize } from './file';

export interface CopyProgress {
  readonly copied: number;
  readonly total: number;
}

export interface CopyOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CopyProgress) => void;
}

export interface BackupOptions extends CopyOptions {
  readonly mayReplace?: boolean;
}

const tickMs = 50;

interface Interruptible {
  readonly interrupt: () => void;
}

const withInterruption = async <A>(
  filename: string,
  signal: AbortSignal,
  use: (file: Knex) => Promise<A>,
  onTick = constVoid,
): Promise<A> => {
  signal.throwIfAborted();
  let connection: Interruptible | undefined;
  const afterCreate = (opened: Interruptible, done: () => void): void => {
    connection = opened;
    done();
  };
  const pool = knex(readOnlyConfiguration(filename, { afterCreate }));
  const timer = setInterval(() => {
    if (signal.aborted) connection?.interrupt();
    else onTick();
  }, tickMs);
  try {
    // The timer repeats the interrupt, because SQLite ignores an interrupt before a statement begins. The timer stops
    // before the pool closes the connection, because the driver can't interrupt a closed connection.
    return await withPool(pool, async (file) => {
      try {
        return await use(file);
      } finally {
        clearInterval(timer);
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

const vacuumInto = async (
  source: string,
  copy: string,
  { signal, onProgress }: CopyOptions,
): Promise<void> => {
  let total = 0;
  const report = (): void => {
    if (total > 0) onProgress({ copied: Math.min(statSync(copy).size, total), total });
  };
  const vacuum = async (file: Knex): Promise<void> => {
    total = await readSize(file);
    report();
    await file.raw('vacuum into ?', [copy]).catch((error: unknown) => {
      throw withoutStatement(error);
    });
  };
  await withInterruption(source, signal, vacuum, report);
  onProgress({ copied: total, total });
};

interface CopyRules {
  readonly reportDamage: (damage: string) => string;
  readonly refuseSchema?: (schema: SchemaState) => string | undefined;
  readonly beforeRename?: (copy: string) => void;
}

const check = (
  copy: string,
  { reportDamage, refuseSchema }: CopyRules,
  { signal }: CopyOptions,
): Promise<number> =>
  withInterruption(copy, signal, async (file) => {
    const damage = await findDamage(file, 'integrity_check');
    if (damage !== undefined) throw new Error(reportDamage(damage));
    const refusal = refuseSchema?.(await readSchemaState(file));
    if (refusal !== undefined) throw permanentError(refusal);
    const { count } = await file('pets').count({ count: '*' }).first<{ count: number }>();
    return count;
  });

/**
 * Copies the file in one consistent state. A file that is in use is copied in a read transaction. Otherwise the file is
 * read without a lock, and the copy is repeated if the file has changed.
 */
const copyConsistently = async (source: string, copy: string, options: CopyOptions): Promise<void> => {
  const isLocked = isInUse(source);
  const { mtimeNs } = statSync(source, { bigint: true });
  const isUnchanged = (): boolean => isLocked || statSync(source, { bigint: true }).mtimeNs === mtimeNs;
  try {
    await vacuumInto(source, copy, options);
    if (isUnchanged()) return;
  } catch (error) {
    if (isUnchanged() || options.signal.aborted) throw error;
  }
  truncateSync(copy);
  await copyConsistently(source, copy, options);
};

const refuseForeignSource = async (source: string): Promise<void> => {
  if (!existsSync(source)) throw permanentError(`file not found: ${source}`);
  const noStore = `${source} is not the database of an animal store`;
  const kind = await identifyFile(source).catch((error: unknown) => {
    if (isDamage(error))
      throw permanentError(`${noStore}, or is damaged: ${withoutStatement(error).message}`);
    throw error;
  });
  if (kind !== 'animal-store') throw permanentError(noStore);
};

const partialName = (file: string): string => `${file}.${randomUUID()}.partial`;

const withDescriptor = <A>(path: string, use: (descriptor: number) => A): A => {
  const descriptor = openSync(path, 'r');
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const sync = (path: string): void => {
  withDescriptor(path, fsyncSync);
};

export const placeCheckedCopy = async (
  source: string,
  file: string,
  rules: CopyRules,
  options: CopyOptions,
): Promise<number> => {
  await refuseForeignSource(source);
  const copy = partialName(file);
  closeSync(openSync(copy, 'wx', ownerOnly));
  try {
    await copyConsistently(source, copy, options).catch((error: unknown) => {
      throw isDamage(error) ? new Error(rules.reportDamage(withoutStatement(error).message)) : error;
    });
    const animals = await check(copy, rules, options);
    sync(copy);
    rules.beforeRename?.(copy);
    // SQLite would apply a log that the old file left behind to the new file.
    for (const ending of ['-wal', '-shm', '-journal']) rmSync(`${file}${ending}`, { force: true });
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

/**
 * True if a service has opened the file. Reads its write version (SQLite file format, offset 18): 2 in WAL mode, which
 * a service sets, and 1 in a backup.
 */
const wasOpened = (file: string): boolean => {
  const head = Buffer.alloc(19);
  withDescriptor(file, (descriptor) => readSync(descriptor, head, 0, head.length, 0));
  return head[18] === 2;
};

/**
 * Rejects a file that is not a backup. Such a file may be the database of a running service, and replacing it would
 * delete acknowledged animals in the write-ahead log.
 */
const refuseToReplace = async (file: string): Promise<void> => {
  if (!existsSync(file) || statSync(file).size === 0) return;
  if (isInUse(file)) {
    throw permanentError(`${file} is a database that is in use or was not closed; --replace overwrites it`);
  }
  const kind = await identifyFile(file).catch((error: unknown) => {
    if (isDamage(error)) return 'foreign';
    throw error;
  });
  if (kind !== 'animal-store' || wasOpened(file)) {
    throw permanentError(`${file} is not a backup of an animal store; --replace overwrites it`);
  }
};

/**
 * Writes a checked copy of a database that may be in use; app/commands/backup.ts calls it. Replaces an earlier backup
 * of this name, and any other file only with `mayReplace`. Only the owner can read the backup. Returns the number of
 * animals.
 */
export const backupSqlite = async (
  database: string,
  file: string,
  { mayReplace = false, ...options }: BackupOptions,
): Promise<number> => {
  if (!mayReplace) await refuseToReplace(file);
  const reportDamage = (damage: string): string =>
    `the database or its copy is damaged: ${damage}; run \`animal-store doctor --full\``;
  return placeCheckedCopy(database, file, { reportDamage }, options);
};
