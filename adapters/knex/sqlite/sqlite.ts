import { constFalse, constVoid } from 'fp-ts/function';
import knex, { type Knex } from 'knex';
import type { SqliteDatabase } from '../database/own-database';
import { poolUsageOf, withPool } from '../database/pool';
import { hasTable, type StoreDatabase } from '../database/store-database';
import { inTransaction, tryAndRollBack } from '../database/work';
import { migrationTable } from '../migrations/migrations';
import { fileInMode, poolConfiguration, withPragmas } from './connection';
import { createDatabaseFile, isImmutable, prepareFile } from './database-file';
import { refuseForeignFile } from './identify-file';
import { checkIntegrity, fileSizes, inspectLastId } from './inspect-file';
import { sqliteStatements } from './statements';
import { watchFile } from './watch-file';

const readerConnections = 3;

const journalSizeLimitBytes = 4 * 1024 * 1024;

export interface SqliteOptions {
  /**
   * True if the file belongs to the store only. Writes then reject if the file has the tables of another program. By
   * default, a host program may keep tables in the file too.
   */
  readonly isOwnFile?: boolean;
}

interface OpenHooks {
  readonly beforeOpen: () => void | Promise<void>;
  readonly afterOpen: () => void;
  /** Returns true to open the file with `immutable`. */
  readonly isImmutable?: () => boolean;
}

const configuration = (
  filename: string,
  max: number,
  pragmas: ReadonlyArray<string>,
  { beforeOpen, afterOpen, isImmutable: isFixed = constFalse }: OpenHooks,
): Knex.Config => {
  const connect = async () => {
    await beforeOpen();
    return isFixed() ? fileInMode(filename, 'ro', { immutable: true }) : { filename };
  };
  return poolConfiguration(connect, { min: 1, max, afterCreate: withPragmas(pragmas, afterOpen) });
};

export const sqliteConfiguration = (
  filename: string,
  hooks: OpenHooks = {
    beforeOpen: () => {
      prepareFile(filename);
    },
    afterOpen: constVoid,
  },
): Knex.Config =>
  configuration(
    filename,
    1,
    ['journal_mode = WAL', 'synchronous = FULL', `journal_size_limit = ${journalSizeLimitBytes}`],
    hooks,
  );

type RunTransaction = StoreDatabase['runTransaction'];

/**
 * Makes a function that runs work in a transaction. Without a write-ahead log (outside WAL mode), COMMIT can fail with
 * SQLITE_BUSY, and SQLite then keeps the transaction open. Knex would return the connection to its pool, and later
 * statements would join that transaction. Without a log, this function therefore runs COMMIT itself, and rolls back if
 * COMMIT fails. After the COMMIT, it runs BEGIN, so that Knex has an empty transaction to commit.
 */
const transactionsOn = (writePool: Knex): RunTransaction => {
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
    return inTransaction(writePool, work, hasLog ? { deadline } : { deadline, finishWork: commit });
  };
};

/**
 * Makes a function that runs work in a transaction with the write lock. Begins with a write of the unchanged
 * `application_id`, because SQLite does not wait for the lock in a transaction that has already read.
 */
const withWriteLock =
  (writePool: Knex, runTransaction: RunTransaction): RunTransaction =>
  async (work) => {
    const { id } = await writePool('pragma_application_id').first<{ id: number }>('application_id as id');
    return runTransaction(async (transaction) => {
      await transaction.raw(`PRAGMA application_id = ${id}`);
      return work(transaction);
    });
  };

/** SQLite allows one write at a time. `reads` limits each kind of read: finds, lists and checks of API keys. */
const maxBatches = { reads: 1, writes: 1 };

/** Makes a StoreDatabase. `checkFile` throws if the file was replaced. Its default checks nothing. */
const sqliteDatabase = (
  readPool: Knex,
  writePool: Knex,
  checkFile: () => void = constVoid,
): StoreDatabase => {
  const runTransaction = transactionsOn(writePool);
  const thenCheckFile = async <A>(written: Promise<A>): Promise<A> => {
    const result = await written;
    checkFile();
    return result;
  };
  return {
    readPool,
    isHostTransaction: writePool.isTransaction === true,
    statements: sqliteStatements,
    maxBatches,
    write: (statement) => thenCheckFile(statement(writePool)),
    runTransaction: (work, deadline) => thenCheckFile(runTransaction(work, deadline)),
    withMigrationLock: withWriteLock(writePool, runTransaction),
  };
};

type WatchedFile = ReturnType<typeof watchFile>;

/** Makes the hook that runs before SQLite opens the file. */
const preparation = (filename: string, files: WatchedFile) => (): void => {
  prepareFile(filename);
  // Checks only the database file before SQLite opens it, because the log may not exist yet. SQLite deletes the log
  // with its last connection.
  files.check(['']);
};

const openWriter = (filename: string, files: WatchedFile, { isOwnFile = false }: SqliteOptions): Knex => {
  const prepare = preparation(filename, files);
  return knex(
    sqliteConfiguration(filename, {
      beforeOpen: async () => {
        if (isOwnFile) await refuseForeignFile(filename);
        prepare();
      },
      afterOpen: files.check,
    }),
  );
};

const openReader = (filename: string, files: WatchedFile): Knex => {
  const prepare = preparation(filename, files);
  return knex(
    configuration(filename, readerConnections, ['query_only = ON'], {
      beforeOpen: () => {
        createDatabaseFile(filename);
        if (!isImmutable(filename)) prepare();
      },
      // Does not check the log, because SQLite may delete the log before this connection reads, and the log would then
      // count as removed.
      afterOpen: () => {
        files.check(['']);
      },
      // On a read-only file system, SQLite can open a database in WAL mode only with `immutable`.
      isImmutable: () => isImmutable(filename),
    }),
  );
};

const runTrial = async (
  readPool: Knex,
  writePool: Knex,
  migration: (transaction: Knex.Transaction) => Promise<void>,
): Promise<void> => {
  if (!(await hasTable(readPool, sqliteStatements, migrationTable)))
    return tryAndRollBack(writePool, migration);
  return withPool(knex(poolConfiguration({ filename: ':memory:' }, { min: 1 })), async (copy) => {
    const definitions = readPool('sqlite_master').whereNotNull('sql').whereNot('name', 'like', 'sqlite_%');
    for (const sql of await definitions.pluck<ReadonlyArray<string>>('sql')) await copy.raw(sql);
    for (const row of await readPool(migrationTable)) await copy(migrationTable).insert(row);
    await tryAndRollBack(copy, migration);
  });
};

/**
 * Opens a SQLite file by its name. Creates a missing file, which only its owner can read. Throws a TypeError for
 * `:memory:` and the empty name.
 */
export const openSqlite = (filename: string, options: SqliteOptions = {}): SqliteDatabase => {
  if (filename === ':memory:' || filename === '') {
    throw new TypeError('openSqlite needs a file name; for a store in memory use inMemoryPetRepository');
  }
  const files = watchFile(filename);
  const readPool = openReader(filename, files);
  const writePool = openWriter(filename, files, options);
  const usages = [poolUsageOf('reads', readPool), poolUsageOf('writes', writePool)];
  return {
    ...sqliteDatabase(readPool, writePool, files.check),
    engine: 'SQLite',
    writePool,
    isFileReplaced: files.isReplaced,
    inspect: async () => {
      await checkIntegrity(readPool);
      return [];
    },
    runTrial: (migration) => runTrial(readPool, writePool, migration),
    inspectIds: () => inspectLastId(readPool),
    sizes: () => fileSizes(filename),
    poolUsage: () => usages.map((usage) => usage()),
    close: async () => {
      // Closes one pool after the other, because SQLite removes the log when the last connection closes. Of two
      // connections that close at once, neither is the last one.
      await readPool.destroy();
      await writePool.destroy();
    },
  };
};

export const hostSqlite = (pool: Knex): StoreDatabase => sqliteDatabase(pool, pool);
