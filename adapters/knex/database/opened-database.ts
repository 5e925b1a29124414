import type { Knex } from 'knex';
import type { PoolUsage } from './pool';
import type { StoreDatabase } from './store-database';

/** Result of a check. `doctor` prints all results, and a start of `serve` prints warnings and failures. */
export interface DatabaseFinding {
  readonly check: 'connection' | 'disk' | 'server' | 'clock';
  readonly severity: 'passed' | 'warning' | 'failed';
  readonly text: string;
}

/** Connection counts of a PostgreSQL server. `poolSize` is the maximum for one instance. */
export interface ConnectionRoom {
  readonly check: 'room';
  readonly limit: number;
  readonly reserved: number;
  readonly heldByOthers: number;
  readonly poolSize: number;
}

/** Sizes in bytes, and the expiry of the server's certificate. Some are known only on one engine. */
export interface DatabaseSizes {
  readonly databaseSize: number;
  readonly writeAheadLogSize?: number;
  readonly diskAvailable?: number;
  /** Unix time at which the certificate of a PostgreSQL server expires. Undefined without TLS. */
  readonly certificateExpirySeconds?: number | undefined;
}

interface OpenedDatabaseBase extends StoreDatabase {
  /** Connections for work that is rolled back, or that needs none of the guarantees of `write` and `runTransaction`. */
  readonly writePool: Knex;
  /**
   * Returns findings about a PostgreSQL server, or an empty array for an intact SQLite file. Rejects if the SQLite file
   * is damaged, or if the PostgreSQL database has no selected schema or another encoding than UTF-8.
   */
  readonly inspect: () => Promise<ReadonlyArray<DatabaseFinding | ConnectionRoom>>;
  /**
   * Returns a text about the fault and its repair if no id is left, or if one of the next `count` ids is taken.
   * Otherwise, and on Citus, returns undefined.
   */
  readonly inspectIds: (count: number) => Promise<string | undefined>;
  /**
   * Runs a migration and rolls it back. Blocks a running service for at most half a second on PostgreSQL. Never blocks
   * one on SQLite, where the migration of a store runs on an empty copy of its tables.
   */
  readonly runTrial: (migration: (transaction: Knex.Transaction) => Promise<void>) => Promise<void>;
  readonly sizes: () => Promise<DatabaseSizes>;
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}

/**
 * Runs SQL in which `{pets}` stands for the store's table `pets`, and returns its rows. Each session prepares a
 * statement with a `name` only once.
 */
export type RunStatement = <Row>(
  knex: Knex,
  statement: { readonly name?: string; readonly sql: string },
  bindings: ReadonlyArray<Knex.RawBinding>,
) => Promise<ReadonlyArray<Row>>;

/** SQLite file that the store opens. Call `close` at the end. */
export interface SqliteDatabase extends OpenedDatabaseBase {
  readonly engine: 'SQLite';
  /** True if the file or its write-ahead log was removed or replaced while open. Writes then reject until a restart. */
  readonly isFileReplaced: () => boolean;
}

/** PostgreSQL database whose connections the store opens. Call `close` at the end. */
export interface PostgresDatabase extends OpenedDatabaseBase {
  readonly engine: 'PostgreSQL';
  readonly run: RunStatement;
  /** Returns the schema of the store's tables, or undefined if the search path names no schema that exists. */
  readonly currentSchema: () => Promise<string | undefined>;
  /** Rejects if the role lacks a right that `serve` needs, or if row-level security would hide rows from it. */
  readonly checkRights: () => Promise<void>;
  /**
   * Rejects if the server lacks disk space for a temporary file. Checks at most every `spaceCheckMs`, but always if a
   * statement has failed for lack of space since the last check that passed.
   */
  readonly checkSpace: () => Promise<void>;
}

/** Database whose connections the store opens. Call `close` at the end. */
export type OpenedDatabase = SqliteDatabase | PostgresDatabase;
