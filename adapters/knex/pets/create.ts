import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import type { TaskEither } from 'fp-ts/TaskEither';
import type { Knex } from 'knex';
import {
  compareById,
  type CreatedPet,
  type Deadline,
  type IdempotencyKeyReused,
  type IdempotencyRecord,
  idempotencyTtlMs,
  contentOf,
  type NewPet,
  type Pet,
  resolveIdempotentCreate,
  type ScopedIdempotencyKey,
  scopedIdempotencyKeyText,
  type Unavailable,
} from '../../../core';
import { createBatcher, type OnBatch } from '../batcher';
import type { StoreDatabase, Statements } from '../database/store-database';
import { isPossibleDuplicate, isStatementError, permanentError, withoutStatement } from '../database/errors';
import { retryConflicts } from '../database/transactions';
import { petFromRow } from '../database/pet-columns';
import { deleteRecords, findRecords, lockRecord, purgeExpiredKeys, purgeIfExpired } from './idempotency-keys';
import { databaseTimeouts } from '../timeouts';

/** Maximum number of animals that one statement adds. */
export const maxBatchSize = 400;

interface Create {
  readonly newPet: NewPet;
  readonly key: ScopedIdempotencyKey | undefined;
}

type CreateResult = E.Either<IdempotencyKeyReused, CreatedPet>;

type Results = ReadonlyArray<CreateResult | Error>;

const keysOf = (creates: ReadonlyArray<Create>): ReadonlyArray<ScopedIdempotencyKey> =>
  creates.flatMap(({ key }) => (key === undefined ? [] : [key]));

/**
 * Inserts animals in one statement, and returns them in the order of `newPets`, which is that of their ids. SQL returns
 * inserted rows in any order. Fails if the database has stored another animal than it was given.
 */
const insertPets = async (
  writes: Knex,
  { insert }: Statements,
  newPets: ReadonlyArray<NewPet>,
): Promise<ReadonlyArray<Pet>> => {
  const pets = (await insert(writes, newPets)).map(petFromRow).sort(compareById);
  if (
    pets.length === newPets.length &&
    RA.zip(newPets, pets).every(([newPet, pet]) => contentOf(newPet) === contentOf(pet))
  )
    return pets;
  throw permanentError(
    'the database did not store the animals as they were inserted; check table pets for triggers and rules',
  );
};

const created = (pet: Pet): CreateResult => E.right({ pet, replayed: false });

const createNew = async (
  knex: Knex,
  statements: Statements,
  creates: ReadonlyArray<Create>,
  now: number,
): Promise<Results> => {
  const pets = await insertPets(
    knex,
    statements,
    creates.map(({ newPet }) => newPet),
  );
  const expires_at = now + idempotencyTtlMs;
  const records = pets.flatMap(({ id }, place) => {
    const key = creates[place]?.key;
    if (key === undefined) return [];
    return [{ owner_id: key.ownerId, idempotency_key: key.idempotencyKey, pet_id: id, expires_at }];
  });
  if (records.length > 0) await statements.insertRecords(knex, records);
  return pets.map(created);
};

const settle = (
  record: IdempotencyRecord | undefined,
  newPet: NewPet,
  now: number,
): CreateResult | undefined => {
  const decision = resolveIdempotentCreate(record, contentOf(newPet), now);
  switch (decision._tag) {
    case 'Create':
      return undefined;
    case 'Replay':
      return E.right({ pet: decision.pet, replayed: true });
    case 'IdempotencyKeyReused':
      return E.left(decision);
  }
};

const createOrReplay = async (
  transaction: Knex,
  statements: Statements,
  creates: ReadonlyArray<Create>,
  now: number,
): Promise<Results> => {
  const keys = keysOf(creates);
  // Writes before it reads. On SQLite, a transaction that begins with a read can't write once another connection has
  // written.
  await purgeIfExpired(transaction, keys, now);
  const records = await findRecords(transaction, statements, keys);
  const recordOf = ({ key }: Create) => key && records.get(scopedIdempotencyKeyText(key));
  const settled = creates.map((create) => settle(recordOf(create)?.record, create.newPet, now));
  const fresh = creates.filter((_, place) => settled[place] === undefined);
  if (fresh.length === 0) {
    const [record] = records.values();
    if (record !== undefined) await lockRecord(transaction, record.row);
    return settled.flatMap((result) => result ?? []);
  }
  await deleteRecords(
    transaction,
    fresh.flatMap((create) => recordOf(create)?.row ?? []),
  );
  const made = [...(await createNew(transaction, statements, fresh, now))];
  return settled.flatMap((result) => result ?? made.splice(0, 1));
};

const maxConcurrentRetries = 4;

const mapConcurrently = async <A, B>(
  work: (one: A) => Promise<B>,
  all: ReadonlyArray<A>,
): Promise<ReadonlyArray<B | Error>> => {
  const until = performance.now() + databaseTimeouts.createRetryMs;
  const answers = new Map<number, B | Error>();
  const queue = all.entries();
  const drain = async (): Promise<void> => {
    for (const [place, one] of queue) {
      if (performance.now() > until) return;
      answers.set(place, await work(one).catch(withoutStatement));
    }
  };
  await Promise.all(Array.from({ length: maxConcurrentRetries }, drain));
  return all.map(
    (_, place) =>
      answers.get(place) ??
      new Error(
        'the animal was not stored: the transaction that it shared with other creates failed, and no time was left to try it separately',
      ),
  );
};

const createTogether = async (
  { write, transaction, statements }: StoreDatabase,
  creates: ReadonlyArray<Create>,
  now: number,
): Promise<Results> => {
  if (keysOf(creates).length === 0) return write((writes) => createNew(writes, statements, creates, now));
  try {
    return await transaction((writes) => createNew(writes, statements, creates, now));
  } catch (error) {
    if (!isPossibleDuplicate(error)) throw error;
  }
  return transaction((writes) => createOrReplay(writes, statements, creates, now));
};

/**
 * Makes the function with which repository.ts creates animals. Concurrent creates share a transaction. If the database
 * rejects a statement of that transaction, each create is retried in a transaction of its own.
 */
export const createPets = (
  database: StoreDatabase,
  now: () => number,
  timeoutMs: number,
  onBatch: OnBatch,
): ((create: Create, deadline?: Deadline) => TaskEither<IdempotencyKeyReused | Unavailable, CreatedPet>) => {
  const purge = purgeExpiredKeys(database, now);

  const createAll = (creates: ReadonlyArray<Create>): Promise<Results> =>
    retryConflicts(() => createTogether(database, creates, now()));

  const runBatch = async (creates: ReadonlyArray<Create>): Promise<Results> => {
    try {
      return await createAll(creates);
    } catch (error) {
      if (creates.length === 1 || !isStatementError(error)) throw error;
      const alone = await mapConcurrently((create) => createAll([create]), creates);
      return alone.flat();
    } finally {
      purge();
    }
  };

  return createBatcher({
    maxBatchSize,
    concurrency: database.concurrency.writes,
    timeoutMs,
    runBatch,
    onBatch,
  });
};
