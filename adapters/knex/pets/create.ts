import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import * as TE from 'fp-ts/TaskEither';
import { hash } from 'node:crypto';
import {
  compareById,
  fingerprintOf,
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
  type Unavailable,
  validNewPet,
} from '../../../core';
import { createBatcher, type OnBatch } from '../batcher';
import { createdByKey } from '../record-change';
import { DiagnosedError, isKind, toEither } from '../database/errors';
import { newPetRow, petFromRow, type PetRow, type PetToInsert } from '../database/pet-columns';
import type { Connection, StoreDatabase } from '../database/store-database';
import { backgroundPurge, deleteExpired, findKeys, waitForStandbyAtCommit } from './idempotency-keys';

interface IdempotencyClaim extends ScopedIdempotencyKey {
  readonly text: string;
  readonly fingerprint: string;
}

interface Create extends PetToInsert {
  readonly claim: IdempotencyClaim | undefined;
}

export const claimOf = (idempotency: ScopedIdempotencyKey, newPet: NewPet): IdempotencyClaim => ({
  text: scopedIdempotencyKeyText(idempotency),
  fingerprint: hash('sha256', fingerprintOf(newPet)),
  ...idempotency,
});

type CreateResult = E.Either<IdempotencyKeyReused | PetDeleted | Unavailable, CreatedPet>;

/**
 * Makes the port `create`. A create fails at once if another create of this process is using the same idempotency key.
 * After a batch, some expired idempotency keys may be purged in the background.
 */
export const makeCreate = (
  database: StoreDatabase,
  idempotencyTtlMs: number,
  onBatch: OnBatch,
): PetRepository['create'] => {
  const purge = backgroundPurge(database);
  const create = createBatcher({
    maxBatches: database.maxBatches.writes,
    separatesRejected: true,
    runBatch: (creates: ReadonlyArray<Create>, batchDeadline) =>
      createTogether(database, creates, idempotencyTtlMs, batchDeadline).finally(purge),
    onBatch,
  });
  const inFlight = new Set<string>();
  return (argument, { idempotency, createdBy: keyId, deadline } = {}) => {
    const checked = validNewPet(argument);
    if (E.isLeft(checked)) return TE.fromEither(checked);
    const newPet = checked.right;
    const createdBy = keyId === undefined ? null : createdByKey(keyId);
    if (idempotency === undefined) return create({ newPet, createdBy, claim: undefined }, deadline);
    const claim = claimOf(idempotency, newPet);
    return async () => {
      if (inFlight.has(claim.text)) return E.left(idempotencyKeyInFlight);
      inFlight.add(claim.text);
      return create({ newPet, createdBy, claim }, deadline)().finally(() => inFlight.delete(claim.text));
    };
  };
};

/**
 * Adds animals in one transaction, and returns a result for each create, in order. First assumes that all idempotency
 * keys are new, which saves a query. If a key was used before, starts again and looks the keys up.
 */
const createTogether = async (
  database: StoreDatabase,
  creates: ReadonlyArray<Create>,
  ttlMs: number,
  deadline: number,
): Promise<ReadonlyArray<CreateResult | undefined>> => {
  if (claimsOf(creates).length === 0) return createWithoutKeys(database, creates);
  const { runTransaction, statements } = database;
  try {
    return await runTransaction((knex) => insertAsNew({ knex, statements }, creates, ttlMs), deadline);
  } catch (error) {
    if (!isKind('Duplicate', 'IdTaken')(error)) throw error;
  }
  return runTransaction((knex) => createOrReplay({ knex, statements }, creates, ttlMs), deadline);
};

/**
 * Adds animals in one statement without a transaction. If the stored rows are invalid, each create gets this failure as
 * its result. The function must not reject, because the batcher would repeat the creates, which are committed. The
 * statement has no deadline, so after a wait for a connection or a lock it may commit although its callers have timed
 * out.
 */
const createWithoutKeys = async (
  { write, statements }: StoreDatabase,
  creates: ReadonlyArray<PetToInsert>,
): Promise<ReadonlyArray<CreateResult>> => {
  const rows = await write((pool) => statements.insert(pool, creates.map(newPetRow)));
  const pets = toEither(() => storedPets(creates, rows));
  return E.isLeft(pets) ? creates.map(() => pets) : pets.right.map(created);
};

/** Inserts animals and their idempotency keys. Rejects with the kind Duplicate if a key is in the table. */
export const insertAsNew = async (
  connection: Connection,
  creates: ReadonlyArray<Create>,
  ttlMs: number,
): Promise<ReadonlyArray<CreateResult>> => {
  const pets = await insertPets(connection, creates);
  const claimed = pets.flatMap(({ id }, index) => {
    const claim = creates[index]?.claim;
    return claim === undefined ? [] : [{ claim, id }];
  });
  // Sorts the keys, so that all instances lock them in the same order and can't deadlock.
  const keys = claimed
    .sort((one, other) => (one.claim.text < other.claim.text ? -1 : 1))
    .map(({ claim, id }) => ({
      owner_id: claim.ownerId,
      idempotency_key: claim.idempotencyKey,
      content_hash: claim.fingerprint,
      pet_id: id.toString(),
    }));
  if (keys.length > 0) await connection.statements.insertKeys(connection.knex, keys, ttlMs);
  return pets.map(created);
};

/** Inserts animals in one statement of a transaction, and returns them in the order of `creates`. */
export const insertPets = async (
  { knex, statements }: Connection,
  creates: ReadonlyArray<PetToInsert>,
): Promise<ReadonlyArray<Pet>> => storedPets(creates, await statements.insert(knex, creates.map(newPetRow)));

/**
 * Returns inserted animals in the order of `creates`. Sorts by id, because SQL returns inserted rows in any order.
 * Throws if the database has stored other values than those of `creates`.
 */
const storedPets = (creates: ReadonlyArray<PetToInsert>, rows: ReadonlyArray<PetRow>): ReadonlyArray<Pet> => {
  const pets = rows.map(petFromRow).sort(compareById);
  if (
    pets.length === creates.length &&
    pets.every((pet, index) => newPetFieldNames.every((name) => pet[name] === creates[index]?.newPet[name]))
  )
    return pets;
  throw new DiagnosedError(
    'the database did not store the animals as they were inserted; check table pets for triggers and rules',
  );
};

const created = (pet: Pet): E.Either<never, CreatedPet> => E.right({ pet, replayed: false });

/**
 * Inserts the animals whose idempotency keys are new, and replays the other creates. If another instance uses one of
 * the new keys at the same time, rejects with the kind Duplicate, and the batcher repeats the batch.
 */
export const createOrReplay = async (
  connection: Connection,
  creates: ReadonlyArray<Create>,
  ttlMs: number,
): Promise<ReadonlyArray<CreateResult | undefined>> => {
  const claims = claimsOf(creates);
  // Deletes before it reads, because a SQLite transaction that reads first may be unable to write.
  await deleteExpired(connection, claims);
  const records = await findKeys(connection, claims);
  const results = new Map(creates.map((create) => [create, recordedResult(create, records)]));
  const fresh = creates.filter((create) => results.get(create) === undefined);
  if (fresh.length > 0) {
    const added = await insertAsNew(connection, fresh, ttlMs);
    for (const [create, result] of RA.zip(fresh, added)) results.set(create, result);
  } else if (claims[0] !== undefined) await waitForStandbyAtCommit(connection.knex, claims[0]);
  return creates.map((create) => results.get(create));
};

const recordedResult = (
  { claim }: Create,
  records: ReadonlyMap<string, IdempotencyRecord>,
): CreateResult | undefined => {
  if (claim === undefined) return undefined;
  const decision = resolveIdempotentCreate(records.get(claim.text), claim.fingerprint);
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

const claimsOf = (creates: ReadonlyArray<Create>): ReadonlyArray<IdempotencyClaim> =>
  creates.flatMap(({ claim }) => claim ?? []);
