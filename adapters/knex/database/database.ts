import type { Knex } from 'knex';
import type { NewPet, PetFilters, PetId } from '../../../core';
import type { PetRow } from './pet-columns';

export interface Durability {
  readonly isDurable: boolean;
  readonly text: string;
  readonly remedy: string;
}

/** Sizes in bytes. The optional sizes are known only for a SQLite file that this process opened itself. */
export interface DatabaseSizes {
  readonly databaseSize: number;
  readonly writeAheadLogSize?: number;
  readonly diskAvailable?: number;
}

export interface SessionTimeouts {
  readonly areKept: boolean;
  readonly text: string;
  readonly remedy: string;
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
  readonly pet_id: PetId;
  readonly expires_at: number;
}

export interface PetStatements {
  readonly byIds: (knex: Knex, ids: ReadonlyArray<bigint>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Returns a page of at most `limit` animals for each element of `starts`, which has filters and the first id. All
   * elements must filter by the same fields.
   */
  readonly pages: (
    knex: Knex,
    starts: ReadonlyArray<PageStart>,
    limit: number,
  ) => Promise<ReadonlyArray<ReadonlyArray<PetRow>>>;
  /** Adds animals with ascending ids in the order of `newPets`. Returns their rows in any order. */
  readonly insert: (knex: Knex, newPets: ReadonlyArray<NewPet>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Adds an animal in a transaction that the caller rolls back, to check that inserts work. On PostgreSQL the animal
   * gets a random negative id, because a rollback would lose a value of the id sequence.
   */
  readonly tryInsert: (transaction: Knex, newPet: NewPet) => Promise<ReadonlyArray<PetRow>>;
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
  readonly preparesStatements: () => Promise<boolean>;
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
   * True if the SQLite file was removed, replaced or truncated while it was open. Writes are then lost until the
   * process restarts.
   */
  readonly isFileReplaced: () => boolean;
  /**
   * Rejects if the database belongs to another program, or if its encoding cannot store all of Unicode. The error says
   * what to do.
   */
  readonly checkUsable: () => Promise<void>;
  readonly durability: () => Promise<Durability>;
  readonly sizes: () => Promise<DatabaseSizes>;
  readonly sessionTimeouts: () => Promise<SessionTimeouts | undefined>;
  /**
   * Resolves with true if the SQLite file is certain to hold everything that was written before the call. Always true
   * for PostgreSQL.
   */
  readonly isFileIntact: () => Promise<boolean>;
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}

/** Settings of the service that decide which rights it needs. */
export interface GrantOptions {
  readonly countsRequests: boolean;
  /** True if the service creates an API key when none was ever issued. */
  readonly createsFirstKey: boolean;
}

export interface InspectableDatabase extends Database {
  readonly findDamage: (isThorough: boolean) => Promise<string | undefined>;
  /** Returns the statements that grant the rights which `serve` needs and the role lacks. */
  readonly missingGrants: (options: GrantOptions) => Promise<ReadonlyArray<string>>;
}
