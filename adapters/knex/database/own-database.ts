import type { Knex } from 'knex';
import type { StoreDatabase } from './store-database';

/** Result of one check of a PostgreSQL server by `OwnDatabase.inspect`. */
export interface DatabaseFinding {
  readonly check: 'connection' | 'server';
  readonly ok: boolean;
  readonly isWarning?: true;
  readonly text: string;
}

/**
 * Sizes in bytes. `writeAheadLogSize` and `diskAvailable` are set only for SQLite, and the Unix time at which the
 * server's certificate expires only for PostgreSQL with TLS.
 */
export interface DatabaseSizes {
  readonly databaseSize: number;
  readonly certificateExpirySeconds?: number | undefined;
  readonly writeAheadLogSize?: number;
  readonly diskAvailable?: number;
}

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Database whose connections the store opens, with data for monitoring. Call `close` at the end. */
export interface OwnDatabase extends StoreDatabase {
  /** True if the SQLite file or its log was removed or replaced while open. Writes then reject until a restart. */
  readonly isFileReplaced: () => boolean;
  /**
   * Returns findings about a PostgreSQL server, and none about an intact SQLite file. Rejects if the SQLite file is
   * damaged, if no PostgreSQL schema is selected, or if the encoding cannot store all of Unicode.
   */
  readonly inspect: () => Promise<ReadonlyArray<DatabaseFinding>>;
  /** Returns PostgreSQL's schema for the store's tables. Returns undefined if none is selected, and on SQLite. */
  readonly currentSchema: () => Promise<string | undefined>;
  /**
   * Returns what is wrong, and how to repair it, if no id is left or if one of the next `count` ids is taken. Returns
   * undefined if nothing is wrong, and always on Citus.
   */
  readonly inspectIds: (count: number) => Promise<string | undefined>;
  /**
   * Rejects if PostgreSQL lacks disk space for a temporary file. By default, checks this every `spaceCheckMs`, and at
   * each call after a statement failed for lack of space. Always resolves on SQLite, where a heartbeat needs space in
   * the same log as every other write.
   */
  readonly checkSpace: (isSuspected?: boolean) => Promise<void>;
  /**
   * Runs a migration and rolls it back. Blocks a running service for at most half a second on PostgreSQL, and never on
   * SQLite, where the migration of a store runs on an empty copy of its tables.
   */
  readonly runTrial: (migration: (transaction: Knex.Transaction) => Promise<void>) => Promise<void>;
  readonly sizes: () => Promise<DatabaseSizes>;
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}

/** Connection pool of Knex, from the package `tarn`. */
interface Pool {
  readonly numUsed: () => number;
  readonly numFree: () => number;
  readonly numPendingAcquires: () => number;
}

export const poolUsageOf =
  (name: string, { client }: { readonly client: { readonly pool: Pool } }) =>
  (): PoolUsage => ({
    pool: name,
    used: client.pool.numUsed(),
    idle: client.pool.numFree(),
    waiting: client.pool.numPendingAcquires(),
  });

const ignore = (): void => undefined;

export const silentLog: Knex.Logger = { warn: ignore, error: ignore, deprecate: ignore, debug: ignore };

export const withPool = async <A>(pool: Knex, use: (pool: Knex) => Promise<A>): Promise<A> => {
  try {
    return await use(pool);
  } finally {
    await pool.destroy();
  }
};
