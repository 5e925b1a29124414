import type { Knex } from 'knex';
import type { NewPet, PetFilters, PetId } from '../../../core';
import type { PetRow } from './pet-columns';

/** Where a page begins: with the first animal whose id is at least this, of those that pass the filters. */
export interface PageStart {
  readonly from: bigint;
  readonly filters: PetFilters;
}

/** A row of `creation_keys`: what a creation under a key has made, until then, in milliseconds since 1970. */
export interface IdempotencyRecordRow {
  readonly caller: string;
  readonly idempotency_key: string;
  readonly pet_id: PetId;
  readonly kept_until: number;
}

/** How one kind of database reads and adds many animals in one statement: the SQL differs, what it does not. */
export interface PetStatements {
  /** The animals that there are, in any order. */
  readonly byIds: (knex: Knex, ids: ReadonlyArray<bigint>) => Promise<ReadonlyArray<PetRow>>;
  /** At most `limit` animals a page by ascending ids, each page in the place of its start. All have the same filters. */
  readonly pages: (
    knex: Knex,
    starts: ReadonlyArray<PageStart>,
    limit: number,
  ) => Promise<ReadonlyArray<ReadonlyArray<PetRow>>>;
  /** Adds animals, their ids ascending in this order, and answers with them in any. */
  readonly insert: (knex: Knex, newPets: ReadonlyArray<NewPet>) => Promise<ReadonlyArray<PetRow>>;
  /** Fails where one of the keys is kept already. */
  readonly insertRecords: (knex: Knex, keys: ReadonlyArray<IdempotencyRecordRow>) => Promise<unknown>;
  /** Removes so many keys at most that were kept until now, and none that another transaction holds; answers with their number. */
  readonly forgetExpired: (knex: Knex, now: number, limit: number) => Promise<number>;
}
