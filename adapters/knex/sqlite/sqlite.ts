import { statSync } from 'node:fs';
import knex, { type Knex } from 'knex';
import type { Database, InspectableDatabase } from '../database/database';
import { inTransaction, poolUsageOf } from '../database/connections';
import { fileInMode, poolConfiguration, withPragmas } from './connection';
import {
  applicationId,
  createPrivateFile,
  fileSizes,
  findDamage,
  readApplicationId,
  readSize,
  refuseForeignFile,
  refuseReader,
  resolveSymlink,
} from './file';
import { sqlitePetStatements } from './pet-statements';
import { watchFile } from './watch-file';

const readerConnections = 3;

const journalSizeLimitBytes = 4 * 1024 * 1024;

export interface SqliteOptions {
  /**
   * True if only the store uses the file. The store then refuses a file of another program, and writes its
   * `application_id` into a new file. By default the file belongs to a host program, and its `application_id` does not
   * change.
   */
  readonly isOwnFile?: boolean;
}

type Watch = ReturnType<typeof watchFile>;

const configuration = (
  filename: string,
  max: number,
  pragmas: ReadonlyArray<string>,
  watch: Pick<Watch, 'willOpen' | 'opened'> | undefined,
): Knex.Config => {
  const connect = () => {
    createPrivateFile(filename);
    refuseReader(filename);
    watch?.willOpen();
    return { filename };
  };
  return poolConfiguration(connect, { min: 1, max, afterCreate: withPragmas(pragmas, watch?.opened) });
};

export const sqliteConfiguration = (filename: string, watch?: Watch): Knex.Config =>
  configuration(
    filename,
    1,
    ['journal_mode = WAL', 'synchronous = FULL', `journal_size_limit = ${journalSizeLimitBytes}`],
    watch && { willOpen: watch.willOpen, opened: watch.openedWithLog },
  );

const idForNewFile = async (reads: Knex): Promise<number | undefined> =>
  (await reads('sqlite_master').first<unknown>('name')) === undefined ? applicationId : undefined;

/**
 * Runs work in a transaction that holds the write lock. Begins with a write (of the `application_id`), because SQLite
 * does not wait for the lock in a transaction that has already read.
 */
const withWriteLock = async <A>(
  writes: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  newApplicationId?: number,
): Promise<A> => {
  const id = newApplicationId ?? (await readApplicationId(writes));
  return inTransaction(writes, async (transaction) => {
    await transaction.raw(`PRAGMA application_id = ${id}`);
    return work(transaction);
  });
};

/**
 * Opens a SQLite file by its name; app/backend/database.ts calls it. Creates a missing file, which only its owner can
 * read. Throws a TypeError for `:memory:` and the empty name.
 */
export const openSqlite = (filename: string, { isOwnFile = false }: SqliteOptions = {}): Database => {
  if (filename === ':memory:' || filename === '') {
    throw new TypeError('openSqlite needs a file name; for a store in memory use inMemoryPetRepository');
  }
  const file = watchFile(filename);
  const writes = knex(sqliteConfiguration(filename, file));
  const reads = knex(configuration(filename, readerConnections, ['query_only = ON'], file));
  const usages = [poolUsageOf('reads', reads), poolUsageOf('writes', writes)];
  return {
    reads,
    writes,
    petStatements: sqlitePetStatements,
    // SQLite has one writer. `reads` limits each kind of read: gets, lists and checks of API keys run one batch at a
    // time each, on three reading connections.
    concurrency: { reads: 1, writes: 1 },
    withMigrationLock: async (work) =>
      withWriteLock(writes, work, isOwnFile ? await idForNewFile(reads) : undefined),
    checkUsable: () => (isOwnFile ? refuseForeignFile(filename) : Promise.resolve()),
    sizes: () => fileSizes(filename),
    preparesStatements: () => Promise.resolve(false),
    isFileReplaced: file.isReplaced,
    poolUsage: () => usages.map((usage) => usage()),
    close: async () => {
      // Close one pool after the other. SQLite removes the log when the last connection closes. If two close at once,
      // neither is the last one, and the log stays.
      await reads.destroy();
      await writes.destroy();
    },
  };
};

export const hostSqlite = (pool: Knex): Database => ({
  reads: pool,
  writes: pool,
  petStatements: sqlitePetStatements,
  concurrency: { reads: 1, writes: 1 },
  withMigrationLock: (work) => withWriteLock(pool, work),
  checkUsable: () => Promise.resolve(),
  sizes: async () => ({ databaseSize: await readSize(pool) }),
  preparesStatements: () => Promise.resolve(false),
  isFileReplaced: () => false,
  poolUsage: () => [],
  close: () => Promise.resolve(),
});

const openPool = (filename: string, mode: 'ro' | 'rw', pragma: string): Knex =>
  knex(poolConfiguration(fileInMode(filename, mode), { afterCreate: withPragmas([pragma]) }));

const hasLeftLog = (filename: string): boolean =>
  (statSync(`${resolveSymlink(filename)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;

/**
 * Opens a SQLite file for the command `doctor` without changing its journal mode. SQLite deletes the write-ahead log
 * when the last connection closes, unless that connection is read-only. If an earlier process left a log, reads
 * therefore use mode `ro` and close last. Without a log, reads use mode `rw`, because mode `ro` would create a log and
 * leave it.
 */
export const openSqliteForInspection = (filename: string): InspectableDatabase => {
  const keepsLog = hasLeftLog(filename);
  const reads = openPool(filename, keepsLog ? 'ro' : 'rw', 'query_only = ON');
  const writes = openPool(filename, 'rw', 'synchronous = FULL');
  const usual = openSqlite(filename, { isOwnFile: true });
  return {
    ...usual,
    reads,
    writes,
    inspect: async (isThorough) => {
      const damage = await findDamage(reads, isThorough ? 'integrity_check' : 'quick_check');
      if (damage !== undefined) throw new Error(`it is damaged: ${damage}`);
      return [];
    },
    close: async () => {
      for (const pool of keepsLog ? [writes, reads] : [reads, writes]) await pool.destroy();
      await usual.close();
    },
  };
};
