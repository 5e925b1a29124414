import { constVoid } from 'fp-ts/function';
import type { Knex } from 'knex';
import { statSync } from 'node:fs';
import { resolveSymlink } from '../../files/paths';
import type { SqliteDatabase } from '../database/opened-database';
import { poolUsageOf, withPool } from '../database/pool';
import { hasTable, type StoreDatabase } from '../database/store-database';
import { inTransaction, tryAndRollBack } from '../database/transactions';
import { migrationTable } from '../database/tables';
import { openFile } from './connection';
import { walEndings } from './database-file';
import { requireIntegrity, fileSizes, inspectLastId } from './inspect-file';
import { type CheckFile, openReadPool, openWritePool, type WatchedEnding } from './open';
import { sqliteStatements } from './statements';

export interface SqliteOptions {
  /**
   * True if the file belongs to the store only. Writes then reject if the file has the tables of another program. By
   * default, a host program may keep tables in the file too.
   */
  readonly isOnlyForStore?: boolean;
}

/**
 * Opens a SQLite file by its name. Creates a missing file, which only its owner can read. Throws a TypeError for
 * `:memory:` and the empty name.
 */
export const openSqlite = (
  filename: string,
  { isOnlyForStore = false }: SqliteOptions = {},
): SqliteDatabase => {
  if (filename === ':memory:' || filename === '') {
    throw new TypeError('openSqlite needs a file name; for a store in memory use inMemoryPetRepository');
  }
  const watched = watchFile(filename);
  const readPool = openReadPool(filename, watched.check);
  const writePool = openWritePool(filename, watched.check, isOnlyForStore);
  const usages = [poolUsageOf('reads', readPool), poolUsageOf('writes', writePool)];
  return {
    ...sqliteDatabase(readPool, writePool, watched.check),
    engine: 'SQLite',
    writePool,
    isFileReplaced: watched.isReplaced,
    inspect: async () => {
      await requireIntegrity(readPool);
      return [];
    },
    runTrial: (migration) => runTrial(readPool, writePool, migration),
    inspectIds: () => inspectLastId(readPool),
    sizes: () => fileSizes(filename),
    poolUsage: () => usages.map((usage) => usage()),
    close: async () => {
      // Closes one pool after the other, because SQLite removes the write-ahead log when the last connection closes. Of
      // two connections that close at once, neither is the last one.
      await readPool.destroy();
      await writePool.destroy();
    },
  };
};

export const hostSqlite = (pool: Knex): StoreDatabase => sqliteDatabase(pool, pool);

// SQLite allows one write at a time. `reads` limits each kind of read: finds, lists and checks of API keys.
const maxBatches = { reads: 1, writes: 1 };

const sqliteDatabase = (readPool: Knex, writePool: Knex, checkFile: CheckFile = constVoid): StoreDatabase => {
  const runTransaction = transactionsOn(writePool, checkFile);
  return {
    readPool,
    isHostTransaction: writePool.isTransaction === true,
    statements: sqliteStatements,
    maxBatches,
    write: async (statement) => {
      const result = await statement(writePool);
      checkFile();
      return result;
    },
    runTransaction,
    withStoreLock: withWriteLock(writePool, runTransaction),
  };
};

type RunTransaction = StoreDatabase['runTransaction'];

/**
 * Makes `runTransaction`. Outside WAL mode, COMMIT can fail with SQLITE_BUSY, and SQLite then keeps the transaction
 * open. Knex would return the connection to its pool, and later statements would join that transaction. So the function
 * runs COMMIT itself outside WAL mode, and rolls back if it fails. After the COMMIT, it runs BEGIN, so that Knex has an
 * empty transaction to commit.
 */
const transactionsOn = (writePool: Knex, checkFile: CheckFile): RunTransaction => {
  let hasLog: boolean | undefined;
  const readHasLog = async (): Promise<boolean> => {
    const [row] =
      await writePool.raw<ReadonlyArray<{ readonly journal_mode: string }>>('PRAGMA journal_mode');
    return row?.journal_mode === 'wal';
  };
  const commit = async (transaction: Knex): Promise<void> => {
    for (const statement of ['COMMIT', 'BEGIN']) await transaction.raw(statement);
  };
  return async (work, deadline) => {
    hasLog ??= writePool.isTransaction === true || (await readHasLog());
    const options = hasLog ? { deadline } : { deadline, finishWork: commit };
    const result = await inTransaction(writePool, work, options);
    // Checks after the commit, because the file may be replaced until then.
    checkFile();
    return result;
  };
};

// Begins with a write, of the unchanged `application_id`, which waits for the lock. After a read, SQLite would not wait
// for the lock.
const withWriteLock =
  (writePool: Knex, runTransaction: RunTransaction): RunTransaction =>
  async (work) => {
    const { id } = await writePool('pragma_application_id').first<{ id: number }>('application_id as id');
    return runTransaction(async (transaction) => {
      await transaction.raw(`PRAGMA application_id = ${id}`);
      return work(transaction);
    });
  };

const runTrial = async (
  readPool: Knex,
  writePool: Knex,
  migration: (transaction: Knex.Transaction) => Promise<void>,
): Promise<void> => {
  if (!(await hasTable({ knex: readPool, statements: sqliteStatements }, migrationTable)))
    return tryAndRollBack(writePool, migration);
  return withPool(openFile(':memory:', { min: 1 }), async (copy) => {
    const definitions = readPool('sqlite_master').whereNotNull('sql').whereNot('name', 'like', 'sqlite_%');
    for (const sql of await definitions.pluck<ReadonlyArray<string>>('sql')) await copy.raw(sql);
    for (const row of await readPool(migrationTable)) await copy(migrationTable).insert(row);
    await tryAndRollBack(copy, migration);
  });
};

const allEndings: ReadonlyArray<WatchedEnding> = ['', ...walEndings];

/**
 * Detects by device and inode that a database file, its write-ahead log or the log's index was removed or replaced.
 * `check` remembers each file that it sees for the first time. Once a call finds such a file missing, or another file
 * under its name, that call and all later ones throw. A call takes microseconds.
 */
const watchFile = (filename: string) => {
  const identities = new Map<string, string>();
  let isReplaced = false;
  const findReplacement = (endings: ReadonlyArray<WatchedEnding>): boolean => {
    const base = resolveSymlink(filename);
    for (const ending of endings) {
      const identity = identityOf(`${base}${ending}`);
      const earlier = identities.get(ending);
      if (identity === 'unknown') continue;
      if (earlier !== undefined && earlier !== identity) isReplaced = true;
      else if (identity !== undefined) identities.set(ending, identity);
    }
    return isReplaced;
  };
  return {
    check: (endings: ReadonlyArray<WatchedEnding> = allEndings): void => {
      if (findReplacement(endings)) throw new Error('the database file or its log was removed or replaced');
    },
    isReplaced: (): boolean => findReplacement(allEndings),
  };
};

/** Returns device and inode, undefined for a missing file, or `unknown` if they can't be read. */
const identityOf = (path: string): string | undefined => {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino}`;
  } catch {
    return 'unknown';
  }
};
