import knex, { type Knex } from 'knex';
import type { Database } from '../database/database';
import { poolUsageOf } from '../database/knex-pool';
import { durabilityOf } from './durability-of';
import { fileSizes, readSize } from './file-sizes';
import { findDamage } from './find-damage';
import { poolConfiguration, withPragmas } from './pool-configuration';
import { applicationId, makePrivately, refuseFileOfOthers } from './sqlite-file';
import { sqlitePetStatements } from './sqlite-pet-statements';
import { watchFile } from './watch-file';
import { withPool } from '../database/with-pool';
import { withWriteLock } from './with-write-lock';

const readerConnections = 3;

/** In bytes: what a write-ahead log shrinks to once all of it is in the file; an import makes it as long as itself. */
const journalSizeLimit = 4 * 1024 * 1024;

/** Whose a SQLite file is. */
export interface SqliteOptions {
  /**
   * Whether the file is the animal store's alone, as the service has it: one of another program is refused before it is
   * written, and a new one gets the store's application_id. By default the file is a host's, whose id stays as it is.
   */
  readonly isOwnFile?: boolean;
}

const fileOf = (filename: string) => () => {
  makePrivately(filename);
  return { filename };
};

/** What knex needs to write to a SQLite file: one connection, and a commit that has reached the disk. */
export const sqliteConfiguration = (filename: string, opened?: () => Error | undefined): Knex.Config =>
  poolConfiguration(fileOf(filename), {
    min: 1,
    afterCreate: withPragmas(
      ['journal_mode = WAL', 'synchronous = FULL', `journal_size_limit = ${journalSizeLimit}`],
      opened,
    ),
  });

const readerConfiguration = (
  filename: string,
  connections: number,
  opened?: () => Error | undefined,
): Knex.Config =>
  poolConfiguration(fileOf(filename), {
    min: 1,
    max: connections,
    afterCreate: withPragmas(['query_only = ON'], opened),
  });

/** Through a connection of its own: others have pages in memory that the file may have no more. */
const isWhole = (filename: string): Promise<boolean> =>
  withPool(
    knex(readerConfiguration(filename, 1)),
    async (fresh) => (await findDamage(fresh, 'quick_check')) === undefined,
  );

/** The store's own id for a file of its own that holds nothing yet; another one keeps what it has. */
const applicationIdFor = async (reads: Knex): Promise<number | undefined> =>
  (await reads('sqlite_master').first<unknown>('name')) === undefined ? applicationId : undefined;

/** What is in memory, or goes away with its connection: each of a pool would have another database. */
const refuseMemory = (filename: string): void => {
  if (filename !== ':memory:' && filename !== '') return;
  throw new TypeError('openSqlite takes the name of a file: in memory there is inMemoryPetRepository');
};

/**
 * Opens a SQLite file, and makes it readable by its owner alone where there is none. Throws a TypeError for `:memory:`,
 * which is no file.
 */
export const openSqlite = (filename: string, { isOwnFile = false }: SqliteOptions = {}): Database => {
  refuseMemory(filename);
  const file = watchFile(filename, {
    readSize: async () => BigInt(await readSize(reads)),
    isWhole: () => isWhole(filename),
  });
  const writes = knex(sqliteConfiguration(filename, file.remember));
  const reads = knex(readerConfiguration(filename, readerConnections, file.remember));
  const usages = [poolUsageOf('reads', reads), poolUsageOf('writes', writes)];
  return {
    reads,
    writes,
    petStatements: sqlitePetStatements,
    // A file has one writer, and reads by id, lists and keys have a connection each.
    lanes: { reads: 1, writes: 1 },
    withMigrationLock: async (work) =>
      withWriteLock(writes, work, isOwnFile ? await applicationIdFor(reads) : undefined),
    checkUsable: () => (isOwnFile ? refuseFileOfOthers(filename) : Promise.resolve()),
    durability: () => durabilityOf(writes),
    sizes: () => fileSizes(filename),
    limits: () => Promise.resolve(undefined),
    preparesStatements: () => Promise.resolve(false),
    isFileReplaced: file.isFileReplaced,
    isFileIntact: file.isFileIntact,
    poolUsage: () => usages.map((usage) => usage()),
    close: async () => {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
};
