import type { Knex } from 'knex';
import type { ListOrder } from '../../../core';
import type { FilterCells, NewPetRow, PetRow } from './pet-columns';

export interface PageStart {
  /** Lowest id that the page may contain, or the highest one in descending order. */
  readonly from: bigint;
  readonly order: ListOrder;
  readonly filters: FilterCells;
}

export interface IdempotencyKeyRow {
  readonly owner_id: string;
  readonly idempotency_key: string;
  /** SHA-256 of the fields of the new animal, in hexadecimal digits. */
  readonly content_hash: string;
  /** Id of the animal, in decimal digits. */
  readonly pet_id: string;
}

/** Statements whose SQL differs between SQLite and PostgreSQL. */
export interface Statements {
  /** SQL for the time of the database's clock in milliseconds since 1970. It is the same throughout a statement. */
  readonly nowSql: string;
  /**
   * SQL condition for the reads that answer requests. Raises an error on a server that accepts no writes, such as a
   * standby, whose rows may be stale. After a failover, an open session may lead to such a server. Commands need no
   * condition, because they open new sessions, which reject such a server. It is `true` on SQLite. It is also `true` on
   * the Knex of a program that embeds the store (a host), which may want to read from a standby.
   */
  readonly acceptsWritesSql: string;
  readonly byIds: (knex: Knex, ids: ReadonlyArray<bigint>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Returns at most `limit` animals for each element of `starts`, in the order of `starts`. All elements must have the
   * same `order`, and filter by the same fields.
   */
  readonly pages: (
    knex: Knex,
    starts: ReadonlyArray<PageStart>,
    limit: number,
  ) => Promise<ReadonlyArray<ReadonlyArray<PetRow>>>;
  /** Adds animals. Their ids ascend in the order of `newRows`, but their rows are returned in any order. */
  readonly insert: (knex: Knex, newRows: ReadonlyArray<NewPetRow>) => Promise<ReadonlyArray<PetRow>>;
  /** Adds idempotency keys, which expire after `ttlMs`. */
  readonly insertKeys: (
    knex: Knex,
    keys: ReadonlyArray<IdempotencyKeyRow>,
    ttlMs: number,
  ) => Promise<unknown>;
  /** Runs work that inserts many rows on a connection. May change settings of the connection until the work ends. */
  readonly duringImport: <A>(knex: Knex, work: () => Promise<A>) => Promise<A>;
  readonly purgeExpired: (knex: Knex, limit: number) => Promise<number>;
  /** Returns the highest id that was ever assigned, even if its animal was deleted since, or 0 if none was assigned. */
  readonly readLastId: (knex: Knex) => Promise<bigint>;
  /** Makes later animals get ids greater than `id`, which must be at least 1. */
  readonly setLastId: (knex: Knex, id: bigint) => Promise<unknown>;
  /**
   * Runs an `insert ... select` in which `{name}` stands for the table with this name. Locks the rows that it reads
   * until the transaction ends, except on Citus, which can't lock rows of shards.
   */
  readonly insertFromLocked: (
    transaction: Knex,
    sql: string,
    bindings: ReadonlyArray<Knex.RawBinding>,
  ) => Promise<unknown>;
  /**
   * Reads the columns of the tables that exist. The type of a text column is `key` if the database sorts its values by
   * their bytes.
   */
  readonly readColumns: (
    knex: Knex,
    tables: ReadonlyArray<string>,
  ) => Promise<ReadonlyArray<{ readonly table: string; readonly column: string; readonly type: string }>>;
}

/** Pool or transaction, with the statements to run on it. */
export interface Connection {
  readonly knex: Knex;
  readonly statements: Statements;
}

export const hasTable = async ({ knex, statements }: Connection, name: string): Promise<boolean> =>
  (await statements.readColumns(knex, [name])).length > 0;

/** SQLite or PostgreSQL database of a store. `migrate` creates its tables. */
export interface StoreDatabase {
  readonly readPool: Knex;
  /** True in a transaction of a program that embeds the store (a host). A failed statement aborts that transaction. */
  readonly isHostTransaction: boolean;
  readonly statements: Statements;
  /**
   * Maximum number of batches that run at a time for each kind of operation, such as finds. A batch is a group of
   * calls that share a statement or transaction. The limit leaves connections for the other kinds if one is slow.
   */
  readonly maxBatches: { readonly reads: number; readonly writes: number };
  /** Runs a statement that writes, and resolves once the write is durable. Rejects if the SQLite file was replaced. */
  readonly write: <A>(statement: (pool: Knex) => Promise<A>) => Promise<A>;
  /**
   * Runs work in a transaction, with the guarantees of `write`. Rolls back if the work rejects, or ends after
   * `deadline`, a time by `performance.now()`. Work that writes must write before it reads a table. A SQLite
   * transaction that has read can't write if another connection has written since. The transaction does not take the
   * write lock when it begins. Knex can't do this, and a statement for it would take a tenth of the time of a create.
   */
  readonly runTransaction: <A>(
    work: (transaction: Knex.Transaction) => Promise<A>,
    deadline?: number,
  ) => Promise<A>;
  /**
   * Runs work in a transaction that holds the lock of the store, and whose statements may take long. Only one process
   * at a time migrates, creates the first API key, or copies into the store. Rejects if the lock is not free within
   * seconds, or if the encoding of a PostgreSQL database cannot store all of Unicode. Rejects if a SQLite file that was
   * opened with `isOnlyForStore` belongs to another program.
   */
  readonly withStoreLock: <A>(work: (transaction: Knex.Transaction) => Promise<A>) => Promise<A>;
}
