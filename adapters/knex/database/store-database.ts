import type { Knex } from 'knex';
import type { ListOrder, NewPet, PetFilters } from '../../../core';
import { withoutStatement } from './errors';
import type { PetRow } from './pet-columns';

/** Filters and the first id of a page. */
export interface PageStart {
  /** Lowest id of the page, or the highest one in descending order. */
  readonly from: bigint;
  readonly order: ListOrder;
  readonly filters: PetFilters;
}

export interface IdempotencyRecordRow {
  readonly owner_id: string;
  readonly idempotency_key: string;
  /** SHA-256 of the content of the create, in hexadecimal digits. */
  readonly content_hash: string;
  readonly pet_id: bigint;
  readonly expires_at: number;
}

/** Statements whose SQL differs between SQLite and PostgreSQL. */
export interface Statements {
  readonly byIds: (knex: Knex, ids: ReadonlyArray<bigint>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Returns a page of at most `limit` animals for each element of `starts`. All elements must have the same order, and
   * filter by the same fields.
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
  /** Returns the highest id that was ever assigned, also if its animal was deleted since, and otherwise 0. */
  readonly readLastId: (knex: Knex) => Promise<bigint>;
  /** Makes the ids of later animals greater than `id`, which is at least 1. */
  readonly setLastId: (knex: Knex, id: bigint) => Promise<unknown>;
  readonly hasTable: (knex: Knex, name: string) => Promise<boolean>;
}

/** SQLite or PostgreSQL database with the tables of a store. */
export interface StoreDatabase {
  readonly reads: Knex;
  readonly writes: Knex;
  readonly statements: Statements;
  /**
   * SQL condition that makes a read fail on a server that accepts no writes, such as a standby. It is `true` if reads
   * can't be stale, or may be.
   */
  readonly onPrimary: string;
  /**
   * Maximum number of batches that each operation runs at a time, so that a slow operation leaves connections for the
   * others.
   */
  readonly concurrency: { readonly reads: number; readonly writes: number };
  /** Runs one statement that writes, and resolves once the write is durable. Rejects if the SQLite file was lost. */
  readonly write: <A>(statement: (writes: Knex) => Promise<A>) => Promise<A>;
  /** Runs work in a transaction, as `write` runs a statement. Rolls back if the work rejects. */
  readonly transaction: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
  /**
   * Runs work in a transaction that holds the migration lock. Only one process at a time migrates or creates the first
   * API key. Rejects if the database belongs to another program, or if its encoding cannot store all of Unicode. The
   * error says what to do.
   */
  readonly withMigrationLock: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
}

/**
 * Runs work in a transaction, and rolls back if the work rejects. The work must not ignore a failed statement, because
 * PostgreSQL then answers COMMIT with ROLLBACK.
 */
export const inTransaction = async <A>(
  knex: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
  config?: Knex.TransactionConfig,
): Promise<A> => {
  const transaction = await knex.transaction(config).catch((error: unknown) => {
    throw withoutStatement(error);
  });
  let result: A;
  try {
    result = await work(transaction);
  } catch (error) {
    await transaction.rollback().catch(withoutStatement);
    throw error;
  }
  await transaction.commit();
  // Knex resolves the promise of `commit` even if the commit failed; `executionPromise` then rejects.
  await transaction.executionPromise;
  return result;
};

export const tryAndRollBack = async <A>(
  writes: Knex,
  work: (transaction: Knex.Transaction) => Promise<A>,
): Promise<A> => {
  const transaction = await writes.transaction();
  try {
    return await work(transaction);
  } finally {
    await transaction.rollback();
  }
};
