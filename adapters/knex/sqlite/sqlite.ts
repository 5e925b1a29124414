import * as t from 'io-ts';
import knex, { type Knex } from 'knex';
import type { Database } from '../database/database';
import { poolUsageOf } from '../database/knex-pool';
import { durabilityOf } from './durability-of';
import { fileSizes } from './file-sizes';
import { migrationSource } from '../migrations/migration-source';
import { cacheStatements, type PreparingConnection } from './statement-cache';
import { silentLog } from '../database/silent-log';
import { sqlitePetStatements } from './sqlite-pet-statements';
import { watchFile } from './watch-file';

interface Connection extends PreparingConnection {
  readonly exec: (sql: string, done: (error: Error | null) => void) => void;
}

/** How long a writer waits for another process's transaction, in milliseconds. */
const busyTimeoutMs = 3_000;

const readerConnections = 3;

// 'anml': marks the file as this project's (SQLite file format, offset 68).
const applicationId = 0x616e6d6c;

const withPragmas =
  (opened: () => void, ...pragmas: ReadonlyArray<string>) =>
  (connection: Connection, done: (error: Error | null) => void): void => {
    cacheStatements(connection);
    connection.exec(pragmas.map((pragma) => `PRAGMA ${pragma};`).join(''), (error) => {
      opened();
      done(error);
    });
  };

const configuration = (filename: string, pool: Knex.PoolConfig): Knex.Config => ({
  client: 'sqlite3',
  connection: { filename },
  useNullAsDefault: true,
  acquireConnectionTimeout: busyTimeoutMs + 500,
  pool,
  log: silentLog,
  migrations: { migrationSource },
});

/** What knex needs to write to a SQLite file: one connection, and a commit that has reached the disk. */
export const sqliteConfiguration = (filename: string, opened: () => void = () => undefined): Knex.Config =>
  configuration(filename, {
    min: 1,
    max: 1,
    afterCreate: withPragmas(
      opened,
      `busy_timeout = ${busyTimeoutMs}`,
      'journal_mode = WAL',
      'synchronous = FULL',
    ),
  });

const readerConfiguration = (filename: string, connections: number): Knex.Config =>
  configuration(filename, {
    min: 1,
    max: connections,
    afterCreate: withPragmas(() => undefined, `busy_timeout = ${busyTimeoutMs}`, 'query_only = ON'),
  });

/** In bytes, with what only the write-ahead log has so far. */
const readSize = async (reads: Knex): Promise<bigint> => {
  const [row] = await reads
    .from(reads.raw('pragma_page_count, pragma_page_size'))
    .select<ReadonlyArray<{ readonly size: number }>>(reads.raw('page_count * page_size as size'));
  return BigInt(row?.size ?? 0);
};

/** Through a connection of its own: others have pages in memory that the file may have no more. */
const isWhole = async (filename: string): Promise<boolean> => {
  const fresh = knex(readerConfiguration(filename, 1));
  try {
    const found: unknown = await fresh('pragma_quick_check').first('quick_check');
    return t.type({ quick_check: t.literal('ok') }).is(found);
  } finally {
    await fresh.destroy();
  }
};

/** Opens a SQLite file. This file and `statement-cache.ts` alone know the driver. */
export const openSqlite = (filename: string): Database => {
  const file = watchFile(filename, { readSize: () => readSize(reads), isWhole: () => isWhole(filename) });
  const writes = knex(sqliteConfiguration(filename, file.remember));
  const reads = knex(readerConfiguration(filename, readerConnections));
  const usages = [poolUsageOf('reads', reads), poolUsageOf('writes', writes)];
  return {
    reads,
    writes,
    petStatements: sqlitePetStatements,
    // A file has one writer, and reads by id, lists and keys have a connection each.
    lanes: { reads: 1, writes: 1 },
    // A transaction that begins with a write waits for its turn; one that begins with a read is refused later.
    withMigrationLock: (work) =>
      writes.transaction(async (transaction) => {
        await transaction.raw(`PRAGMA application_id = ${applicationId}`);
        return work(transaction);
      }),
    // UTF-8 or UTF-16: either keeps all.
    checkEncoding: () => Promise.resolve(),
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
