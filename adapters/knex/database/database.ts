import type { Knex } from 'knex';
import type { NewPet, PetFilters, PetId } from '../../../core';
import type { PetRow } from './pet-columns';

export interface Durability {
  readonly isDurable: boolean;
  readonly text: string;
  readonly remedy: string;
}

/** Disk use in bytes; undefined if this process cannot read it. */
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
  readonly page: (knex: Knex, start: PageStart, limit: number) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Returns a page of at most `limit` animals for each start, which has filters and the first id. Returns undefined
   * instead of a page with more than `maxPageBytes` of text, and does not load that page. All starts must filter by the
   * same fields.
   */
  readonly pages: (
    knex: Knex,
    starts: ReadonlyArray<PageStart>,
    limit: number,
    maxPageBytes: number,
  ) => Promise<ReadonlyArray<ReadonlyArray<PetRow> | undefined>>;
  /** Adds animals with ascending ids in this order, and returns them in any order. */
  readonly insert: (knex: Knex, newPets: ReadonlyArray<NewPet>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Adds an animal in a transaction that the caller rolls back, to check that inserts work. On PostgreSQL its id is
   * negative and not from the sequence, which would lose a value at each rollback.
   */
  readonly tryInsert: (transaction: Knex, newPet: NewPet) => Promise<ReadonlyArray<PetRow>>;
  readonly insertRecords: (knex: Knex, records: ReadonlyArray<IdempotencyRecordRow>) => Promise<unknown>;
  readonly purgeExpired: (knex: Knex, now: number, limit: number) => Promise<number>;
}

/** Open database of SQLite or PostgreSQL, for `migrate`, `knexPetRepository`, `apiKeyStore` and `knexAuthenticate`. */
export interface Database {
  readonly reads: Knex;
  readonly writes: Knex;
  readonly petStatements: PetStatements;
  readonly preparesStatements: () => Promise<boolean>;
  /** Maximum concurrent batches of each operation, so that a slow operation leaves connections for the others. */
  readonly concurrency: { readonly reads: number; readonly writes: number };
  /** Runs work in a transaction under a lock: only one process at a time migrates or creates the first API key. */
  readonly withMigrationLock: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
  /** Returns true if the file was removed, replaced or truncated. Writes are then lost until the process restarts. */
  readonly isFileReplaced: () => boolean;
  /**
   * Rejects a database that belongs to another program, or whose encoding cannot store all of Unicode. The error says
   * what to do.
   */
  readonly checkUsable: () => Promise<void>;
  readonly durability: () => Promise<Durability>;
  readonly sizes: () => Promise<DatabaseSizes>;
  readonly sessionTimeouts: () => Promise<SessionTimeouts | undefined>;
  /** Reports whether everything written before the call is certain to be in the file. */
  readonly isFileIntact: () => Promise<boolean>;
  readonly poolUsage: () => ReadonlyArray<PoolUsage>;
  readonly close: () => Promise<void>;
}

export interface InspectableDatabase extends Database {
  readonly findDamage: (isThorough: boolean) => Promise<string | undefined>;
  readonly missingGrants: (countsRequests: boolean) => Promise<ReadonlyArray<string>>;
}
