import * as E from 'fp-ts/Either';
import type { Knex } from 'knex';
import { hash } from 'node:crypto';
import {
  compareById,
  contentOf,
  type CreatedPet,
  idempotencyKeyInFlight,
  type IdempotencyKeyReused,
  type IdempotencyRecord,
  type NewPet,
  newPetFieldNames,
  type Pet,
  type PetDeleted,
  type PetRepository,
  resolveIdempotentCreate,
  type ScopedIdempotencyKey,
  scopedIdempotencyKeyText,
} from '../../../core';
import { createBatcher, type OnBatch } from '../batcher';
import { isPossibleDuplicate, permanentError } from '../database/errors';
import { newPetCells, petFromRow } from '../database/pet-columns';
import type { Statements, StoreDatabase } from '../database/store-database';
import { findRecords, lockRecord, purgeExpiredKeys, purgeIfExpired } from './idempotency-keys';

/** Idempotency key of a create, with a `text` for comparisons and the hash of the animal. */
interface KeyOfCreate extends ScopedIdempotencyKey {
  readonly text: string;
  readonly contentHash: string;
}

interface Create {
  readonly newPet: NewPet;
  readonly key: KeyOfCreate | undefined;
}

type CreateFailure = IdempotencyKeyReused | PetDeleted;

type CreateResult = E.Either<CreateFailure, CreatedPet>;

const keysOf = (creates: ReadonlyArray<Create>): ReadonlyArray<ScopedIdempotencyKey> =>
  creates.flatMap(({ key }) => (key === undefined ? [] : [key]));

/**
 * Inserts animals in one statement, and returns them in the order of `newPets`. Sorts by id, because SQL returns
 * inserted rows in any order. Rejects if the database has stored other values than those of `newPets`.
 */
export const insertPets = async (
  writes: Knex,
  { insert }: Statements,
  newPets: ReadonlyArray<NewPet>,
): Promise<ReadonlyArray<Pet>> => {
  const rows = await insert(writes, newPets.map(newPetCells));
  const pets = rows.map(petFromRow).sort(compareById);
  if (
    pets.length === newPets.length &&
    pets.every((pet, place) => newPetFieldNames.every((name) => pet[name] === newPets[place]?.[name]))
  )
    return pets;
  throw permanentError(
    'the database did not store the animals as they were inserted; check table pets for triggers and rules',
  );
};

const createNew = async (
  writes: Knex,
  statements: Statements,
  creates: ReadonlyArray<Create>,
  expiresAt: number,
): Promise<ReadonlyArray<CreateResult>> => {
  const newPets = creates.map(({ newPet }) => newPet);
  const pets = await insertPets(writes, statements, newPets);
  const records = pets.flatMap(({ id }, place) => {
    const key = creates[place]?.key;
    if (key === undefined) return [];
    const { ownerId: owner_id, idempotencyKey: idempotency_key, contentHash: content_hash } = key;
    return [{ owner_id, idempotency_key, content_hash, pet_id: id, expires_at: expiresAt }];
  });
  if (records.length > 0) await statements.insertRecords(writes, records);
  return pets.map((pet) => E.right({ pet, replayed: false }));
};

/** Returns the result of a create whose idempotency key was used before, or undefined if its animal must be added. */
const settle = (
  record: IdempotencyRecord | undefined,
  contentHash: string,
  now: number,
): CreateResult | undefined => {
  const decision = resolveIdempotentCreate(record, contentHash, now);
  switch (decision._tag) {
    case 'Create':
      return undefined;
    case 'Replay':
      return E.right({ pet: decision.pet, replayed: true });
    case 'IdempotencyKeyReused':
    case 'PetDeleted':
      return E.left(decision);
  }
};

const createOrReplay = async (
  transaction: Knex,
  statements: Statements,
  creates: ReadonlyArray<Create>,
  now: number,
  expiresAt: number,
): Promise<ReadonlyArray<CreateResult>> => {
  const keys = keysOf(creates);
  // Writes before it reads. On SQLite, a transaction that begins with a read can't write once another connection has
  // written.
  await purgeIfExpired(transaction, keys, now);
  const records = await findRecords(transaction, statements, keys);
  const settled = creates.map(
    ({ key }) => key && settle(records.get(key.text)?.record, key.contentHash, now),
  );
  const fresh = creates.filter((_, place) => settled[place] === undefined);
  if (fresh.length === 0) {
    const [record] = records.values();
    if (record !== undefined) await lockRecord(transaction, record.row);
    return settled.flatMap((result) => result ?? []);
  }
  const made = [...(await createNew(transaction, statements, fresh, expiresAt))];
  return settled.flatMap((result) => result ?? made.splice(0, 1));
};

/**
 * Adds animals in one transaction, and returns a result for each create, in order. First assumes that all idempotency
 * keys are new, which saves a query. If a key was used before, starts again and looks the keys up.
 */
const createTogether = async (
  { write, transaction, statements }: StoreDatabase,
  creates: ReadonlyArray<Create>,
  now: number,
  expiresAt: number,
): Promise<ReadonlyArray<CreateResult>> => {
  if (keysOf(creates).length === 0)
    return write((writes) => createNew(writes, statements, creates, expiresAt));
  try {
    return await transaction((writes) => createNew(writes, statements, creates, expiresAt));
  } catch (error) {
    if (!isPossibleDuplicate(error)) throw error;
  }
  return transaction((writes) => createOrReplay(writes, statements, creates, now, expiresAt));
};

/**
 * Makes the port `create`. A create fails at once if another create of this process is using the same idempotency key.
 * After a batch, some expired keys may be purged in the background.
 */
export const createPets = (
  database: StoreDatabase,
  now: () => number,
  idempotencyTtlMs: number,
  onBatch: OnBatch,
): PetRepository['create'] => {
  const purge = purgeExpiredKeys(database, now);
  const create = createBatcher({
    concurrency: database.concurrency.writes,
    runBatch: (creates: ReadonlyArray<Create>) => {
      const time = now();
      return createTogether(database, creates, time, time + idempotencyTtlMs).finally(purge);
    },
    separatesRejected: true,
    onBatch,
  });
  const inFlight = new Set<string>();
  return (newPet, key, deadline) => {
    if (key === undefined) return create({ newPet, key }, deadline);
    const text = scopedIdempotencyKeyText(key);
    const contentHash = hash('sha256', contentOf(newPet));
    return async () => {
      if (inFlight.has(text)) return E.left(idempotencyKeyInFlight);
      inFlight.add(text);
      return create({ newPet, key: { ...key, text, contentHash } }, deadline)().finally(() =>
        inFlight.delete(text),
      );
    };
  };
};
