import { constFalse } from 'fp-ts/function';
import knex, { type Knex } from 'knex';
import type { Database } from '../database/store-database';
import { inTransaction, poolUsageOf } from '../database/transactions';
import { fileReplaced } from '../database/errors';
import { poolConfiguration, withPragmas } from './connection';
import { checkIntegrity, createPrivateFile, fileSizes, refuseForeignFile, refuseReader } from './file';
import { sqlitePetStatements } from './statements';
import { watchFile } from './watch-file';

const readerConnections = 3;

const greatestInt64 = '9223372036854775807';

/**
 * Returns advice if no id is left. SQLite then fails creates as on a full disk. Its sequence can't be behind, because
 * SQLite takes the greatest id of the table into account.
 */
const inspectLastId = async (reads: Knex): Promise<string | undefined> => {
  const last = await reads.first<{ readonly id: string | null }>(
    reads.raw(
      `cast(max(
         ifnull((select max(seq) from sqlite_sequence where name = 'pets'), 0),
         ifnull((select max(pets.id) from pets), 0)
       ) as text) as id`,
    ),
  );
  return last.id === greatestInt64
    ? "no id is left after the last one, 9223372036854775807; remove an animal that has it, and run: update sqlite_sequence set seq = (select max(id) from pets) where name = 'pets'"
    : undefined;
};

const journalSizeLimitBytes = 4 * 1024 * 1024;

export interface SqliteOptions {
  /**
   * True if only the store uses the file. The store then refuses a file of another program. By default the file belongs
   * to a host program.
   */
  readonly isOwnFile?: boolean;
}

const configuration = (
  filename: string,
  max: number,
  pragmas: ReadonlyArray<string>,
  isReplaced: ReturnType<typeof watchFile> = constFalse,
  watched?: ReadonlyArray<string>,
): Knex.Config => {
  const connect = () => {
    createPrivateFile(filename);
    refuseReader(filename);
    // Makes `isReplaced` remember the file, but not its log, which SQLite may delete while no connection is open.
    isReplaced(['']);
    return { filename };
  };
  const opened = () => (isReplaced(watched) ? fileReplaced() : undefined);
  return poolConfiguration(connect, { min: 1, max, afterCreate: withPragmas(pragmas, opened) });
};

export const sqliteConfiguration = (
  filename: string,
  isReplaced?: ReturnType<typeof watchFile>,
): Knex.Config =>
  configuration(
    filename,
    1,
    ['journal_mode = WAL', 'synchronous = FULL', `journal_size_limit = ${journalSizeLimitBytes}`],
    isReplaced,
  );

/**
 * Runs work in a transaction that holds the write lock. Begins with a write, of the unchanged `application_id`, because
 * SQLite does not wait for the lock in a transaction that has already read.
 */
const withWriteLock = async <A>(
  writes: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
): Promise<A> => {
  const { id } = await writes('pragma_application_id').first<{ id: number }>('application_id as id');
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
  const isFileReplaced = watchFile(filename);
  const writes = knex(sqliteConfiguration(filename, isFileReplaced));
  // New readers compare only the file, because SQLite may delete the log before a connection has read or written.
  const reads = knex(configuration(filename, readerConnections, ['query_only = ON'], isFileReplaced, ['']));
  const usages = [poolUsageOf('reads', reads), poolUsageOf('writes', writes)];
  return {
    reads,
    writes,
    petStatements: sqlitePetStatements,
    onPrimary: 'true',
    // SQLite has one writer. `reads` limits each kind of read: gets, lists and checks of API keys run one batch at a
    // time each, on three reading connections.
    concurrency: { reads: 1, writes: 1 },
    withMigrationLock: (work) => withWriteLock(writes, work),
    checkUsable: () => (isOwnFile ? refuseForeignFile(filename) : Promise.resolve()),
    inspect: async () => {
      await checkIntegrity(reads);
      return [];
    },
    inspectIds: () => inspectLastId(reads),
    sizes: () => fileSizes(filename),
    isFileReplaced: () => isFileReplaced(),
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
  onPrimary: 'true',
  concurrency: { reads: 1, writes: 1 },
  withMigrationLock: (work) => withWriteLock(pool, work),
  checkUsable: () => Promise.resolve(),
  inspect: () => Promise.resolve([]),
  inspectIds: () => Promise.resolve(undefined),
  sizes: () => Promise.resolve({}),
  isFileReplaced: () => false,
  poolUsage: () => [],
  close: () => Promise.resolve(),
});
