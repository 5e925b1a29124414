import type { Knex } from 'knex';
import type { NewPet, PetFilters, PetId } from '../../../core';
import type { PetRow } from './pet-columns';

/** Start of a page: the lowest id that it may contain, and the filters that its animals pass. */
export interface PageStart {
  readonly from: bigint;
  readonly filters: PetFilters;
}

/** A row of `creation_keys`. `expires_at` is in milliseconds since 1970. */
export interface IdempotencyRecordRow {
  readonly owner_id: string;
  readonly idempotency_key: string;
  readonly pet_id: PetId;
  readonly expires_at: number;
}

/** Statements that read or add many animals at once, in the SQL of one kind of database. */
export interface PetStatements {
  /** Returns the animals that exist, in any order. */
  readonly byIds: (knex: Knex, ids: ReadonlyArray<bigint>) => Promise<ReadonlyArray<PetRow>>;
  /**
   * Returns a page of at most `limit` animals for each start. All starts have the same filter fields. A page with more
   * than `maxPageBytes` of text is undefined, and is not loaded.
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
   * Adds an animal in a transaction that the caller rolls back. On PostgreSQL it sets an id that no animal gets, since a
   * rollback does not give back a number of a sequence.
   */
  readonly tryInsert: (transaction: Knex, newPet: NewPet) => Promise<ReadonlyArray<PetRow>>;
  /** Rejects if one of the keys already has a record. */
  readonly insertRecords: (knex: Knex, keys: ReadonlyArray<IdempotencyRecordRow>) => Promise<unknown>;
  /** Deletes at most `limit` expired records, without those that another transaction has locked. Returns their number. */
  readonly purgeExpired: (knex: Knex, now: number, limit: number) => Promise<number>;
}
