import type { Knex } from 'knex';
import type { StoreDatabase } from './store-database';

/** Result of a check that only one kind of database has. */
export interface Finding {
  readonly check: 'connection' | 'server';
  readonly ok: boolean;
  readonly text: string;
}

/** Sizes in bytes. The last two are known only for SQLite. */
export interface DatabaseSizes {
  readonly databaseSize: number;
  readonly writeAheadLogSize?: number;
  readonly diskAvailable?: number;
}

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Database whose connections belong to the store, with data that an operator monitors. `close` it at the end. */
export interface OwnDatabase extends StoreDatabase {
  /** True if the SQLite file or its log was removed or replaced while open. Writes are lost until a restart. */
  readonly isFileReplaced: () => boolean;
  /**
   * Checks a PostgreSQL server. Rejects if a SQLite file is damaged, or if the encoding of a PostgreSQL database cannot
   * store all of Unicode.
   */
  readonly inspect: () => Promise<ReadonlyArray<Finding>>;
  /**
   * Returns what prevents one of the next `count` creates from getting an id, and how to repair it. Checks nothing on
   * Citus.
   */
  readonly inspectIds: (count: number) => Promise<string | undefined>;
  /**
   * SQL that limits how long the trial of a migration may block a running service. Undefined if no trial is needed,
   * because every user who can write the database can migrate it.
   */
  readonly trialLimits: string | undefined;
  readonly sizes: () => Promise<DatabaseSizes>;
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}

/** Pool of tarn, the package whose pools knex uses. */
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
