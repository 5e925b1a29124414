import * as E from 'fp-ts/Either';
import * as RA from 'fp-ts/ReadonlyArray';
import type { Knex } from 'knex';
import {
  scopedIdempotencyKeyText,
  decideCreation,
  idempotencyTtlMs,
  type KeptCreation,
  type NewPet,
  type Pet,
} from '../../../core';
import { oneByOne } from '../batching/one-by-one';
import type { Database } from '../database/database';
import { fileReplaced, isAboutData, isDuplicate, isLocked } from '../database/database-error';
import type { PetStatements } from '../database/pet-statements';
import { retryConflicts } from '../database/retry-conflicts';
import { type Creation, type CreationResult, keysOf, newPetOf } from './creation';
import { forgetNowAndThen } from './forget-now-and-then';
import { findKept, forgetExpiredOf, freeKeys, keepRecords, lockRecord } from './idempotency-records';
import { insertPets } from './insert-pets';

type Results = ReadonlyArray<CreationResult | Error>;

const created = (pet: Pet): CreationResult => E.right({ pet, replayed: false });

const createNew = async (
  transaction: Knex,
  petStatements: PetStatements,
  creations: ReadonlyArray<Creation>,
  now: number,
): Promise<Results> => {
  const pets = await insertPets(transaction, petStatements, creations.map(newPetOf));
  await keepRecords(transaction, petStatements, RA.zip(creations, pets), now + idempotencyTtlMs);
  return pets.map(created);
};

/** The result of a creation whose key is taken; undefined when it is free. */
const settle = (
  kept: KeptCreation | Error | undefined,
  newPet: NewPet,
  now: number,
): CreationResult | Error | undefined => {
  if (kept instanceof Error) return kept;
  const decision = decideCreation(kept, newPet, now);
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
  petStatements: PetStatements,
  creations: ReadonlyArray<Creation>,
  now: number,
): Promise<Results> => {
  const keys = keysOf(creations);
  // It comes first because it writes: a SQLite transaction that begins with a read is refused when another has written.
  await forgetExpiredOf(transaction, keys, now);
  const records = await findKept(transaction, petStatements, keys);
  const recordOf = ({ key }: Creation) => key && records.get(scopedIdempotencyKeyText(key));
  const settled = creations.map((creation) => settle(recordOf(creation)?.kept, creation.newPet, now));
  const fresh = creations.filter((_, place) => settled[place] === undefined);
  if (fresh.length === 0) {
    const [record] = records.values();
    if (record !== undefined) await lockRecord(transaction, record.row);
    return settled.flatMap((result) => result ?? []);
  }
  await freeKeys(
    transaction,
    fresh.flatMap((creation) => recordOf(creation)?.row ?? []),
  );
  const made = [...(await createNew(transaction, petStatements, fresh, now))];
  return settled.flatMap((result) => result ?? made.splice(0, 1));
};

/** All in one transaction; without keys a statement is one by itself. */
const createTogether = async (
  { writes, petStatements }: Database,
  creations: ReadonlyArray<Creation>,
  now: number,
): Promise<Results> => {
  if (keysOf(creations).length === 0) {
    const pets = await insertPets(writes, petStatements, creations.map(newPetOf));
    return pets.map(created);
  }
  // Most keys are new: only where one turns out not to be does it pay to look for what is kept.
  try {
    return await writes.transaction((transaction) => createNew(transaction, petStatements, creations, now));
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
  return writes.transaction((transaction) => createOrReplay(transaction, petStatements, creations, now));
};

/**
 * Group commit: creates all animals in one transaction. Each result stands where its creation stood. Where the
 * database refuses one of them, or another instance holds its key, each is tried alone.
 */
export const createPets = (database: Database, now: () => number) => {
  const forget = forgetNowAndThen(database, now);

  const create = async (creations: ReadonlyArray<Creation>): Promise<Results> => {
    const results = await retryConflicts(() => createTogether(database, creations, now()));
    if (!database.isFileIntact()) throw fileReplaced();
    return results;
  };

  return async (creations: ReadonlyArray<Creation>): Promise<Results> => {
    try {
      return await create(creations);
    } catch (error) {
      if (creations.length === 1 || !(isAboutData(error) || isLocked(error))) throw error;
      const alone = await oneByOne((creation) => create([creation]), creations);
      return alone.flat();
    } finally {
      forget();
    }
  };
};
