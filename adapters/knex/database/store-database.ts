import type { Knex } from 'knex';
import type { NewPet, PetFilters } from '../../../core';
import type { PetRow } from './pet-columns';

/** Result of a check that only one kind of database has, for `doctor`. */
export interface Finding {
  readonly check: 'connection' | 'server';
  readonly ok: boolean;
  readonly text: string;
}

/** Sizes in bytes. Only a SQLite file has those of its log and disk. The Knex of a host has none. */
export interface DatabaseSizes {
  readonly databaseSize?: number;
  readonly writeAheadLogSize?: number;
  readonly diskAvailable?: number;
}

export interface PoolUsage {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  readonly waiting: number;
}

export interface PageStart {
  readonly from: bigint;
  readonly filters: PetFilters;
}

export interface IdempotencyRecordRow {
  readonly owner_id: string;
  readonly idempotency_key: string;
  readonly pet_id: bigint;
  readonly expires_at: number;
}

export interface PetStatements {
  readonly byIds: (knex: Knex, ids: ReadonlyArray<bigint>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Returns a page of at most `limit` animals for each element of `starts`. An element has filters and a first id. All
   * elements must filter by the same fields.
   */
  readonly pages: (
    knex: Knex,
    starts: ReadonlyArray<PageStart>,
    limit: number,
  ) => Promise<ReadonlyArray<ReadonlyArray<PetRow>>>;
  /** Adds animals with ascending ids in the order of `newPets`. Returns their rows in any order. */
  readonly insert: (knex: Knex, newPets: ReadonlyArray<NewPet>) => Promise<ReadonlyArray<PetRow>>;
  readonly insertRecords: (knex: Knex, records: ReadonlyArray<IdempotencyRecordRow>) => Promise<unknown>;
  readonly purgeExpired: (knex: Knex, now: number, limit: number) => Promise<number>;
}

/**
 * Open SQLite or PostgreSQL database. sqlite/sqlite.ts and postgres/postgres.ts make it. `migrate`,
 * `knexPetRepository`, `apiKeyStore` and `knexAuthenticate` take it.
 */
export interface Database {
  readonly reads: Knex;
  readonly writes: Knex;
  readonly petStatements: PetStatements;
  /**
   * SQL condition for reads that must not be stale: true, or makes the statement fail on a server that accepts no
   * writes, such as a standby.
   */
  readonly onPrimary: string;
  /**
   * Maximum number of batches (batcher.ts) that each operation runs at a time, so that a slow operation leaves
   * connections for the others.
   */
  readonly concurrency: { readonly reads: number; readonly writes: number };
  /**
   * Runs work in a transaction that holds the migration lock. Only one process at a time migrates or creates the first
   * API key.
   */
  readonly withMigrationLock: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
  /**
   * True if the SQLite file or its log was removed or replaced while it was open. Writes are then lost until the process
   * restarts. A commit counts only if this is false after it.
   */
  readonly isFileReplaced: () => boolean;
  /**
   * Rejects if the database belongs to another program, or if its encoding cannot store all of Unicode. The error says
   * what to do.
   */
  readonly checkUsable: () => Promise<void>;
  /**
   * Checks a PostgreSQL server for `doctor`. Rejects if a SQLite file is damaged. Checks nothing on the Knex of a host.
   */
  readonly inspect: () => Promise<ReadonlyArray<Finding>>;
  /**
   * Returns what prevents one of the next `count` creates from getting an id, and how to repair it. Checks nothing on
   * Citus and on the Knex of a host.
   */
  readonly inspectIds: (count: number) => Promise<string | undefined>;
  readonly sizes: () => Promise<DatabaseSizes>;
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}
